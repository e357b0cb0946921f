"""Fixtures for every test of the workspace."""

pytest_plugins = ["rpent.testing.plugin"]
