"""The `rpent` command; a command lives where its name says: `rpent plugins list` is `cli/plugins/list.py`.

A command module imports click and the standard library at module level and its work inside the body, so that
`--help` stays fast; a command returns its exit code, or None for 0.
"""

from rpent.cli.root import main

__all__ = ["main"]
