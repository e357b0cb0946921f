"""The inside of an env server: checks of what is asked for, closed-loop servoing, recordings."""
