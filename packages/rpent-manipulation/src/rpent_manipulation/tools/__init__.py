"""Tools for any robot with an arm, by what they are for: moving, looking, contact."""
