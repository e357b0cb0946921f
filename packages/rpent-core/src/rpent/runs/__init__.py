"""Run directories: what a run leaves behind, and how it is read again.

`events.jsonl` is the single source of truth; `recipe.jsonl` and `transcript.json` are derived from it as it
grows.
"""
