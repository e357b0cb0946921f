"""Readers of policies: what a checkpoint wants and gives, from its files, without running it."""
