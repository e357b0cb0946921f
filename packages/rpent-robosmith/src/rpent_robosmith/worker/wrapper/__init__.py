"""The code that generated wrappers are made of: `adapter.py` and its parts, and a loader for each format of policies.

A generated `wrapper.py` is their text, so they import nothing of RPent (but the loader of RoboSmith's own policies).
"""
