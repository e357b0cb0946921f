"""A small behaviour-cloning policy for RPent in plain torch, trained from recorded runs."""

__version__ = "0.1.0"
