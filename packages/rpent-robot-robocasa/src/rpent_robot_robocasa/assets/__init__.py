"""Kitchen assets: which there are, where, and how they come there."""
