"""Learned policies: what a checkpoint takes and gives, how a robot fits it, and the server that holds it."""
