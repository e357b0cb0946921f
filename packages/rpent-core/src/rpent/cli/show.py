"""`rpent show`."""

from __future__ import annotations

from pathlib import Path

import click

from rpent.cli.params import json_option, output_dir_option


@click.command("show")
@click.argument("run", default="latest")
@output_dir_option
@json_option
def command(run: str, output_dir: str, as_json: bool) -> None:
    """Print what happened in a run: the task, the conversation, the outcome.

    RUN is a run directory, a name in the output directory, or `latest`. With `--json`: run.json and all
    events.
    """
    from rpent.runs.directory import RunDirectory
    from rpent.runs.index import find_run

    directory = RunDirectory(find_run(run, Path(output_dir)))
    if as_json:
        import json

        from rpent.runs.events import read_events

        manifest = directory.read_manifest()
        events = read_events(directory.events) if directory.events.is_file() else ()
        document = {
            "version": 1,
            "run": manifest,
            "events": [event.model_dump(mode="json") for event in events],
        }
        click.echo(json.dumps(document, indent=2))
        return
    from rpent.printable import printable
    from rpent.runs.show import show_lines

    for line in show_lines(directory):
        click.echo(printable(line))
