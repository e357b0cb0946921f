"""Claude Code as RPent's planner."""
