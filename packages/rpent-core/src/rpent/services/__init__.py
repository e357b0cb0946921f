"""Processes that a run owns or attaches to: start, watch, restart, stop, and never an orphan.

`supervisor.py` is the agent's side, `host.py` the service's; `guardian.py` stands between them.
"""
