"""Inspectors: what policies, datasets and environments take, give and hold."""
