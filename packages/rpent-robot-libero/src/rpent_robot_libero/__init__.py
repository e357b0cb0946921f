"""TODO: owner replaces this line."""
