"""RoboCasa's own tools: the hand of the mobile robot, and learned policies."""
