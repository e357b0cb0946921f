"""The worker's adapters."""
