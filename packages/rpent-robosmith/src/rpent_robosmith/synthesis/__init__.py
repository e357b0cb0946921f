"""Environments from a declarative scene: described, turned into MJCF, compiled and stepped."""
