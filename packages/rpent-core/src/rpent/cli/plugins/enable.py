"""`rpent plugins enable`."""

from __future__ import annotations

import click


@click.command("enable")
@click.argument("name")
def command(name: str) -> int:
    """Use a plugin again that `rpent plugins disable` left out.

    NAME is what was disabled: a plugin's name, a distribution, or `distribution:name`. Exits with 2 when the
    plugin is still left out for another reason, and says which.
    """
    from rpent.cli.plugins.disable import described, matching, unknown
    from rpent.errors import ExitCode
    from rpent.plugins import blocking, registry

    listed = blocking.read_file()
    if name not in listed and not matching(name):
        raise unknown(name)
    if name in listed:
        blocking.write_file(listed - {name})
        registry.current.cache_clear()
    entries = matching(name)
    rest = {remedy for entry in entries if (remedy := registry.current().index.blocking.remedy(entry))}
    if rest:
        click.echo(f"`{name}` is still disabled: {' '.join(sorted(rest))}", err=True)
        return ExitCode.USAGE
    click.echo(f"Enabled: {described(entries) or f'`{name}`, which is not installed'}.")
    return ExitCode.SUCCESS
