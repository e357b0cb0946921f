"""Tiny checkpoints of LeRobot's real classes, random but seeded, made in seconds: for tests and for trying things out.

`python -m rpent_policy_lerobot.server.tiny smolvla DIR` in an interpreter that has LeRobot.
"""
