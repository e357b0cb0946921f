"""The version of rpent-core, in a file of its own so that `--version` imports nothing."""

__version__ = "0.1.0"
