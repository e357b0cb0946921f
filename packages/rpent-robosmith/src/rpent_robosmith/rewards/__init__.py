"""Reward functions as text: their contract, what is checked before they run, how candidates are searched."""
