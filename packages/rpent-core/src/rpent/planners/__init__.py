"""Planners: thin adapters from an agent runtime (or from none) to `rpent.session.Session`."""
