"""`rpent robocasa assets fetch`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

from rpent_robot_robocasa.assets.cli.options import gigabytes, package_option
from rpent_robot_robocasa.assets.packs import PACKS

if TYPE_CHECKING:
    from pathlib import Path

LINE_EVERY_S = 15.0


@click.command("fetch")
@click.option(
    "--pack", "packs", type=click.Choice(list(PACKS)), multiple=True, help="Only this; may be repeated."
)
@package_option
@click.option("--force", is_flag=True, help="Fetch packs again although they are there.")
@json_option
@no_plugin_option
@verbose_option
def command(packs: tuple[str, ...], package_dir: Path | None, force: bool, as_json: bool) -> None:
    """Download the real kitchen assets (some 10 GB) from where the simulator's own downloader has them.

    They come into the user's data folder, or the one that `RPENT_ROBOCASA_ASSETS_DIR` names. What was interrupted goes
    on where it stopped.
    """
    import json
    from dataclasses import asdict

    from rpent_robot_robocasa.assets.fetch.registry import read_registry
    from rpent_robot_robocasa.assets.fetch.tree import fetch
    from rpent_robot_robocasa.assets.package import find_package
    from rpent_robot_robocasa.assets.paths import real_dir

    package = find_package(package_dir)
    folder = real_dir()
    downloads = [item for item in read_registry(package) if not packs or item.name in packs]
    manifest = fetch(downloads, package, folder, report=Terminal(), force=force)
    if as_json:
        click.echo(json.dumps({"version": 1, "folder": str(folder), "manifest": asdict(manifest)}, indent=2))
        return
    there = f"{len(manifest.packs)} of {len(PACKS)} packs"
    click.echo(f"{there}, {manifest.files} files, {gigabytes(manifest.bytes)}, in {folder}")


class Terminal:
    """Shows how far it is on the error stream: one line that is rewritten on a terminal, else one now and then."""

    def __init__(self) -> None:
        self.rewrites = sys.stderr.isatty()
        self.what, self.shown = "", 0.0

    def begin(self, what: str) -> None:
        """Say what begins."""
        if self.rewrites and self.what:
            click.echo(err=True)
        self.what, self.shown = what, time.monotonic()
        click.echo(what, err=True, nl=not self.rewrites)

    def progress(self, done: int, total: int | None) -> None:
        """Say how far it is, not too often."""
        now = time.monotonic()
        if now - self.shown < (0.2 if self.rewrites else LINE_EVERY_S) and done != total:
            return
        self.shown = now
        part = f" of {gigabytes(total)} ({100 * done / total:.0f} %)" if total else ""
        text = f"{self.what} {gigabytes(done)}{part}"
        click.echo(f"\r{text:<70}" if self.rewrites else text, err=True, nl=not self.rewrites)
