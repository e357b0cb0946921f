"""`rpent robocasa assets status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

from rpent_robot_robocasa.assets.cli.options import gigabytes, package_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("status")
@package_option
@json_option
@no_plugin_option
@verbose_option
def command(package_dir: Path | None, as_json: bool) -> None:
    """Show which kitchen assets there are, where, how big, and which a run would use."""
    import json

    from rpent_robot_robocasa.assets.package import find_package
    from rpent_robot_robocasa.assets.status import status

    found = status(find_package(package_dir) if package_dir else None)
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for line in lines(found):
        click.echo(line)


def lines(found: dict[str, Any]) -> list[str]:
    """Return the status for people."""
    package = found["package"]
    if package is None:
        return [
            "The simulator is not installed: `rpent env sync robocasa`.",
            f"Real assets:  {found['real']['folder']}",
        ]
    text = [f"Simulator:    robocasa {package['version']} in {package['folder']}"]
    text += _kind("Real", found["real"])
    packs = found["real"]["packs"]
    if any(packs.values()):
        text += [f"  {'there  ' if there else 'missing'}  {name}" for name, there in packs.items()]
    text += _kind("Placeholder", found["placeholder"])
    if found["placeholder"].get("unchanged") is False:
        text.append("  changed since they were made: `rpent robocasa assets placeholder --force`")
    text.append(f"A run uses:   {found['used'] or 'nothing; `rpent robocasa assets placeholder` makes some'}")
    return text


def _kind(word: str, kind: dict[str, Any]) -> list[str]:
    head = f"{word}:".ljust(14)
    if not kind["ready"]:
        return [f"{head}{kind['problem']}"]
    manifest = kind["manifest"]
    return [f"{head}{manifest['files']} files, {gigabytes(manifest['bytes'])}, in {kind['folder']}"]
