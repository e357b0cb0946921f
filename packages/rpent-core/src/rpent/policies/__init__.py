"""Learned policies: what a checkpoint takes and gives, how a robot's observation becomes its input, and their server."""
