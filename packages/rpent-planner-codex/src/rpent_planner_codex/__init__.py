"""Codex as RPent's planner."""
