"""The commands of `rpent robocasa assets`."""
