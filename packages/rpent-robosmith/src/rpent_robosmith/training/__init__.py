"""Trainings from the run's side: which algorithm with which hyperparameters, and checkpoints on disk."""
