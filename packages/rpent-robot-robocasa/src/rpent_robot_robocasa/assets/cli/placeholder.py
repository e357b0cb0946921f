"""`rpent robocasa assets placeholder`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

from rpent_robot_robocasa.assets.cli.options import gigabytes, package_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("placeholder")
@package_option
@click.option("--force", is_flag=True, help="Make them anew although they are there.")
@json_option
@no_plugin_option
@verbose_option
def command(package_dir: Path | None, force: bool, as_json: bool) -> None:
    """Make kitchen assets from boxes and cylinders in flat colours, in a few seconds.

    The benchmark's tasks load with them, and what a hand works is made for a hand. Pictures and exact shapes are not
    the benchmark's, so a run on them is marked in its `run.json` and not accepted for publication.
    """
    import json
    from dataclasses import asdict

    from rpent.errors import RpentError

    from rpent_robot_robocasa.assets.locate import locate
    from rpent_robot_robocasa.assets.package import find_package
    from rpent_robot_robocasa.assets.paths import placeholder_dir
    from rpent_robot_robocasa.assets.placeholder.write import write_placeholder

    package = find_package(package_dir)
    folder = placeholder_dir(package.version)
    written = force
    if not force:
        try:
            locate("placeholder", version=package.version)
        except RpentError:
            written = True
    manifest = write_placeholder(package, folder) if written else None
    manifest = manifest or locate("placeholder", version=package.version).manifest
    if as_json:
        data = {"version": 1, "folder": str(folder), "written": written, "manifest": asdict(manifest)}
        click.echo(json.dumps(data, indent=2))
        return
    verb = "Wrote" if written else "Already there:"
    click.echo(f"{verb} {manifest.files} files, {gigabytes(manifest.bytes)}, in {folder}")
