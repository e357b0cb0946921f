"""The worker's trainers."""
