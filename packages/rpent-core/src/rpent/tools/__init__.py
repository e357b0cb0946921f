"""Tools: what a planner can call."""
