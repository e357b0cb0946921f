"""Analysing recorded episodes, and comparing two sets of them."""
