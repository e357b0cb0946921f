"""Write docs/reference from the code: hooks, specs, events, the Python API and every command's help.

`--check` writes nothing and exits with 1 when a page is stale.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.testing import CliRunner
from reference_hooks import hooks_section, specs_sections
from reference_python import api_page, events_page, events_schema
from reference_robosmith import robosmith_page
from reference_tools import tools_page
from rpent import hookspecs, specs
from rpent.cli import main as root_command
from rpent.errors import ExitCode
from rpent.plugins import registry
from rpent_robot_libero.toolkit import LiberoToolkit
from rpent_robot_robocasa.toolkit import RobocasaToolkit

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTE = "<!-- Written by tools/reference.py from the code; `make docs` renews it. -->\n\n"


def hooks_page() -> str:
    """Every hook of core."""
    families = (hookspecs.CollectHooks, hookspecs.LifecycleHooks)
    return "\n".join(
        ["# Hooks\n", inspect.getdoc(hookspecs) or "", "", *(hooks_section(each) for each in families)]
    )


def specs_page() -> str:
    """Every frozen spec of core."""
    return "\n".join(["# Specs\n", inspect.getdoc(specs) or "", specs_sections(specs)])


def commands(command: click.Command, path: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    """Yield (path, help) of a command and all below it."""
    context = click.Context(
        command, info_name=path.rsplit(" ", 1)[-1], parent=parent, max_content_width=100, terminal_width=100
    )
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in sorted(command.list_commands(context)):
            child = command.get_command(context, name)
            if child is not None:
                yield from commands(child, f"{path} {name}", context)


def plugin_commands() -> Iterator[tuple[str, str]]:
    """Yield (path, help) of what plugins add beside core's commands."""
    context = click.Context(root_command, info_name="rpent", max_content_width=100, terminal_width=100)
    own = set(root_command.list_commands(context))
    for name in sorted({name.partition(".")[0] for name in registry.names("commands")} - own):
        command = root_command.get_command(context, name)
        if command is not None:
            yield from commands(command, f"rpent {name}", context)


def cli_page() -> str:
    """The help of every command."""
    lines = ["# Command line\n", "Exit codes: " + "; ".join(exit_codes()) + ".\n"]
    for path, text in (*commands(root_command, "rpent", None), *plugin_commands()):
        lines += [f"\n## `{path}`\n", "```text", text, "```"]
    lines += ["\n## Options that plugins add to `rpent run`\n", "```text", *plugin_options(), "```"]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines())


def plugin_options() -> Iterator[str]:
    """The options of every installed robot, planner and front end, as `rpent run` shows them when they are chosen."""
    chosen = [
        ["--robot", robot, "--planner", planner]
        for robot in registry.names("robots")
        for planner in registry.names("planners")
    ]
    chosen += [[f"--{frontend}"] for frontend in registry.names("frontends")]
    seen = set()
    for options in chosen:
        shown = CliRunner(env={"COLUMNS": "100"}).invoke(root_command, ["run", *options, "--help"])
        if shown.exit_code:
            sys.exit(shown.output)
        for section in re.split(r"^(?=Options of the )", shown.output, flags=re.MULTILINE)[1:]:
            if section not in seen:
                seen.add(section)
                yield section


def exit_codes() -> Iterator[str]:
    """What each exit code means, from the enum's own documentation."""
    body = ast.parse(inspect.getsource(ExitCode)).body[0].body  # type: ignore[attr-defined]
    for statement, following in pairwise(body):
        if isinstance(statement, ast.Assign):
            yield f"{statement.value.value} {following.value.value.rstrip('.')}"  # type: ignore[attr-defined]


def pages() -> dict[Path, str]:
    """Every generated page."""
    return {
        REFERENCE / "hooks.md": hooks_page(),
        REFERENCE / "specs.md": specs_page(),
        REFERENCE / "cli.md": cli_page(),
        REFERENCE / "events.md": events_page(),
        REFERENCE / "events.schema.json": events_schema(),
        REFERENCE / "api.md": api_page(),
        REFERENCE / "robosmith.md": robosmith_page(),
        REFERENCE / "libero-tools.md": tools_page("LIBERO", "libero", LiberoToolkit),
        REFERENCE / "robocasa-tools.md": tools_page("RoboCasa365", "robocasa", RobocasaToolkit),
    }


def main() -> int:
    """Write the pages, or compare them."""
    stale = []
    for path, text in pages().items():
        content = (NOTE if path.suffix == ".md" else "") + text.rstrip() + "\n"
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != content:
                stale.append(path.relative_to(ROOT))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    for path in stale:
        print(f"{path} is stale; run: make docs", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
