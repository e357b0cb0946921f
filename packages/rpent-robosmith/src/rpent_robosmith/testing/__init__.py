"""Contract tests for RoboSmith's plugins."""
