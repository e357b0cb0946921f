"""RoboSmith: train policies from a sentence; make policies, datasets and environments fit together."""
