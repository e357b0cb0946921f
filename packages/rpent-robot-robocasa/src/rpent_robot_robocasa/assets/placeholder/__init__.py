"""Placeholder assets: every file that the simulator asks for, made of primitive shapes by our own code."""
