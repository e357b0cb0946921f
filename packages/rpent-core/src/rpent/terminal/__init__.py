"""`rpent run --interactive`: a line at the bottom of the terminal to steer the planner with."""
