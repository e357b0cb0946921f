"""Contact motions: they plan from what is seen, move through a `World`, and report what came out."""
