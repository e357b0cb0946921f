"""What runs in worker processes: environments, trainers, reward code. The heavy side; the agent imports none of it."""
