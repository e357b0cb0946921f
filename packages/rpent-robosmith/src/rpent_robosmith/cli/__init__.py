"""Commands of `rpent smith`."""
