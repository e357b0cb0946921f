"""The `rpent` command. A command lives where its name says: `rpent plugins list` is `rpent/cli/plugins/list.py`.

A command module imports click and the standard library at module level and its work inside the body, so that `--help`
stays fast; a command returns its exit code, or None for 0.
"""

from rpent.cli.root import main

__all__ = ["main"]
