"""The worker's jobs."""
