"""A small behaviour-cloning policy for RPent in plain torch, trained from recorded runs."""
