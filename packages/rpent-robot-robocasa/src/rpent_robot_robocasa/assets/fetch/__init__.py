"""Fetching the real assets: the simulator's own list of downloads, with resume and checks."""
