"""What this distribution offers; nothing heavy."""

PLUGIN_API = 1
