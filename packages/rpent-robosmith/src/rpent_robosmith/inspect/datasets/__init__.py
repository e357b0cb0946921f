"""Readers of datasets' metadata and statistics."""
