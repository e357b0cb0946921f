"""The part that runs where LeRobot is: loading a checkpoint, and asking the policy."""
