"""Options and parameter types that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

F = TypeVar("F", bound="Callable[..., Any]")


class Settings:
    """What holds for the whole invocation; the root command makes it, options set it."""

    def __init__(self) -> None:
        self.verbose = False


class PluginChoice(click.ParamType):  # type: ignore[type-arg]
    """The name of an installed plugin of one kind, from entry-point metadata alone."""

    name = "plugin"

    def __init__(self, kind: str, *, extra: Sequence[str] = (), without: Sequence[str] = ()) -> None:
        self.kind = kind
        self.extra = tuple(extra)
        self.without = frozenset(without)

    def names(self) -> list[str]:
        """Return what is accepted."""
        from rpent.plugins import registry

        return [name for name in (*registry.names(self.kind), *self.extra) if name not in self.without]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return `[libero|toy]` for the help, or a plain word where nothing is installed."""
        return f"[{'|'.join(self.names())}]" if self.names() else "NAME"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Say what is installed."""
        from rpent.suggest import listing

        if self.kind == "robots" and not self.names():
            return "None is installed: each robot is a distribution of its own, such as `rpent-robot-libero`."
        return f"Installed: {listing(self.names())}."

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Accept an installed name, or `distribution:name`."""
        if value not in self.extra:
            from rpent.plugins import registry

            registry.current().resolve(self.kind, value)
        if value in self.without:
            from rpent.suggest import listing

            self.fail(f"`{value}` cannot be used here. Accepted: {listing(self.names())}.", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete from the installed names."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class Limit(click.ParamType):  # type: ignore[type-arg]
    """A positive number, or `none` for no limit."""

    def __init__(self, number: type[int] | type[float]) -> None:
        self.number = number
        self.name = "integer" if number is int else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or None."""
        if isinstance(value, str) and value.strip().lower() == "none":
            return None
        try:
            number = self.number(value)
        except ValueError:
            number = self.number(0)
        if not 0 < number < float("inf"):
            self.fail(f"`{value}` is not a positive {self.name} (or `none` for no limit).", param, ctx)
        return number


def _set_verbose(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Settings).verbose = True


def _block(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> None:
    if value:
        from rpent.plugins import registry

        registry.block(value)


def verbose_option(function: F) -> F:
    """Add `--verbose`: expected errors show their traceback too."""
    return click.option(
        "--verbose",
        "-v",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_set_verbose,
        help="Show tracebacks and more of what happens.",
    )(function)


def no_plugin_option(function: F) -> F:
    """Add `--no-plugin NAME`: leave plugins out before anything of them is imported."""
    return click.option(
        "--no-plugin",
        multiple=True,
        metavar="NAME",
        expose_value=False,
        is_eager=True,
        callback=_block,
        help="Leave out a plugin: its name, its distribution, or `*` for all. May be repeated.",
    )(function)


def json_option(function: F) -> F:
    """Add `--json`, passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(function)


def output_dir_option(function: F) -> F:
    """Add `--output-dir`: where the runs are."""
    return click.option(
        "--output-dir",
        type=click.Path(file_okay=False),
        default="runs",
        show_default=True,
        envvar="RPENT_OUTPUT_DIR",
        help="Where the run directories are.",
    )(function)
