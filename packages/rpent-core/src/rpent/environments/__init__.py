"""Interpreters for services: managed environments built by uv, and the overlay that links rpent in."""
