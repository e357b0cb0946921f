"""RPent puts a language model in charge of a robot; `rpent.api` holds what plugin authors import."""

from rpent._version import __version__

__all__ = ["__version__", "hookimpl"]


def __getattr__(name: str) -> object:
    """Load `rpent.hookimpl` on first use, so that `import rpent` costs nothing."""
    if name == "hookimpl":
        from rpent.hookspecs import hookimpl  # noqa: PLC0415

        return hookimpl
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
