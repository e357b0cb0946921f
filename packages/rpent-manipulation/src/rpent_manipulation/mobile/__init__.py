"""A robot that drives: where it stands and how it gets to what it works on."""
