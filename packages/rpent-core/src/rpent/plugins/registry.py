"""What is installed, and the one plugin that was asked for."""

from __future__ import annotations

from _thread import RLock  # as `functools` does: `threading` costs a module
from functools import cache
from typing import TYPE_CHECKING, Any

from rpent.plugins import blocking
from rpent.plugins.failure import BrokenPluginError, LoadFailure, PhaseError, UnknownPluginError, failure_of
from rpent.plugins.index import Index, conventional_distribution, label, scan
from rpent.suggest import closest, did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpent.plugins.index import Entry
    from rpent.plugins.loader import Loader
    from rpent.plugins.records import PluginRecord

MAX_OBSERVER_FAILURES = 3
"""A life-cycle observer that failed this often is not called again in this process."""

_LOADING = RLock()
"""Services ask for transports in parallel, and loading redirects the standard output of the whole process."""


class Registry:
    """An index of entry points and what was loaded from it; the program uses `current()`."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._loader: Loader | None = None
        self._loaded: dict[tuple[str, str], Any] = {}
        self._observer_failures: dict[str, int] = {}

    @property
    def loader(self) -> Loader:
        """The guarded loader, made when a plugin is first loaded."""
        if self._loader is None:
            from rpent.plugins.loader import Loader  # noqa: PLC0415  (names alone need no pluggy)

            extensions = [
                e for e in self.index.entries() if e.kind == "plugins" and not self.index.is_blocked(e)
            ]
            self._loader = Loader(extensions=extensions)
        return self._loader

    def names(self, kind: str) -> list[str]:
        """Return the names of a kind, from metadata alone."""
        return self.index.names(kind)

    def resolve(self, kind: str, name: str) -> Entry:
        """Return the entry that a name stands for.

        Raises:
            UnknownPluginError: No such name, a blocked one, or one that several distributions claim.
        """
        owner = self.index.owner(kind, name)
        if owner is not None:
            return owner
        noun = label(kind)
        claims = self.index.claims(kind, name)
        open_claims = [entry for entry in claims if not self.index.is_blocked(entry)]
        if open_claims:
            forms = listing(entry.qualified_name for entry in open_claims)
            raise UnknownPluginError(
                f"Several distributions claim the {noun} `{name}`.",
                hint=f"Name one of them in full: {forms}.",
            )
        if claims:
            raise UnknownPluginError(
                f"The {noun} `{name}` is disabled.",
                hint=self.index.blocking.remedy(claims[0]),
            )
        names = self.names(kind)
        hint = "`rpent plugins list` shows everything."
        if closest(name, names) is None:  # a typing error must not send anybody to a stranger's distribution
            conventional = conventional_distribution(kind, name)
            hint += f" By convention, `{name}` would come with the distribution `{conventional}`."
        raise UnknownPluginError(
            f"No {noun} is named `{name}`{did_you_mean(name, names)} Installed: {listing(names)}.", hint=hint
        )

    def get(self, kind: str, name: str) -> Any:
        """Load exactly the plugin that was asked for and return its spec.

        Raises:
            UnknownPluginError: See `resolve`.
            BrokenPluginError: It is installed and cannot be used; the error carries the `LoadFailure`.
        """
        loaded = self.try_entry(self.resolve(kind, name))
        if isinstance(loaded, LoadFailure):
            noun = label(kind)
            raise BrokenPluginError(
                f"The {noun} `{name}` of {loaded.distribution} {loaded.version} is unusable: {loaded.reason}",
                failure=loaded,
            )
        return loaded

    def try_entry(self, entry: Entry) -> Any:
        """Return the spec of an entry, or its `LoadFailure`."""
        key = (entry.kind, entry.qualified_name)
        with _LOADING:
            if key not in self._loaded:
                self._loaded[key] = self.loader.spec(entry)
            return self._loaded[key]

    def lost_name(self, entry: Entry) -> LoadFailure | None:
        """Return why an entry does not stand for its plain name, or None when it does."""
        if self.index.owner(entry.kind, entry.name) == entry:
            return None
        others = [
            other.qualified_name for other in self.index.claims(entry.kind, entry.name) if other != entry
        ]
        if not others:
            return None
        noun = label(entry.kind)
        return failure_of(
            entry,
            "name",
            f"the {noun} name `{entry.name}` is taken by {listing(others)}.",
            remedy=f"Use it as `{entry.qualified_name}`, or uninstall one of them.",
        )

    def modules(self) -> Iterator[Any]:
        """Yield every plugin module that can be loaded, each once (`rpent doctor` asks all of them)."""
        seen: set[str] = set()
        for entry in self.index.entries():
            if entry.module in seen or self.index.is_blocked(entry):
                continue
            seen.add(entry.module)
            module = self.loader.load(entry)
            if not isinstance(module, LoadFailure):
                yield module

    def lifecycle(self, hook_name: str, event: object) -> None:
        """Call a life-cycle hook, plugin by plugin; one that raises is reported and stops nothing."""
        for entry in self.index.entries():
            if entry.kind == "plugins" and not self.index.is_blocked(entry):
                loaded = self.try_entry(entry)
                if isinstance(loaded, LoadFailure):
                    warn("Plugin `%s` was left out: %s", loaded.distribution, loaded.reason)
        for impl in getattr(self.loader.manager.hook, hook_name).get_hookimpls():
            self._observe(impl, event)

    def _observe(self, impl: Any, event: object) -> None:
        failures = self._observer_failures.get(impl.plugin_name, 0)
        if failures >= MAX_OBSERVER_FAILURES:
            return
        try:
            impl.function(*([event] if impl.argnames else []))
        except Exception as error:  # noqa: BLE001  (an observer never stops a run)
            self._observer_failures[impl.plugin_name] = failures + 1
            warn("Plugin `%s` failed in `%s`: %s", impl.plugin_name, impl.function.__name__, error)


def warn(text: str, *arguments: object) -> None:
    """Log a warning; `rpent run --help` lists names and needs no logging."""
    import logging  # noqa: PLC0415

    logging.getLogger(__name__).warning(text, *arguments)


@cache
def current() -> Registry:
    """Return the registry of this process; the entry points are scanned at the first call."""
    return Registry(scan())


def block(names: Iterable[str]) -> None:
    """Leave plugins out, before anything of them is imported."""
    blocking.block(names)
    current.cache_clear()


def names(kind: str) -> list[str]:
    """Return the installed names of a kind (`robots`), from metadata alone."""
    return current().names(kind)


def get(kind: str, name: str) -> Any:
    """Load the plugin `name` of a kind and return its spec; see `Registry.get`."""
    return current().get(kind, name)


def records() -> list[PluginRecord]:
    """Return a record of every installed plugin, from metadata alone."""
    from rpent.plugins.records import records_of  # noqa: PLC0415

    return records_of(current())


def lifecycle(hook_name: str, event: object) -> None:
    """Call a life-cycle hook of every installed plugin; see `Registry.lifecycle`."""
    current().lifecycle(hook_name, event)


__all__ = ["PhaseError", "Registry", "block", "current", "get", "lifecycle", "names", "records"]
