"""Plugins: found by entry-point metadata, loaded one at a time, each in a guard.

`registry` is what the rest of RPent uses. `index` is the one scan of the entry points, `loader` imports a
plugin module phase by phase, `failure` and `records` describe what went wrong and what is installed, `check`
loads plugins in a process of their own for `rpent plugins list` and `rpent doctor`.
"""
