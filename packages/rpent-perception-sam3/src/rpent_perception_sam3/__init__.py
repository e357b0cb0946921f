"""Segmentation for RPent by SAM 3 of transformers: text and point prompts, from a local checkpoint."""

__version__ = "0.1.0"
