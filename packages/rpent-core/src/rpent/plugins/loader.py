"""Load one plugin module, phase by phase: whatever it does becomes a `LoadFailure`, never a crash."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import contextmanager, redirect_stdout
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pluggy

from rpent import hookspecs, specs
from rpent._version import __version__
from rpent.plugins.failure import LoadFailure, PhaseError, failure_of
from rpent.plugins.index import CORE_DISTRIBUTION, canonical, requirements_of
from rpent.plugins.kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from rpent.plugins.failure import Phase
    from rpent.plugins.index import Entry


def new_manager() -> pluggy.PluginManager:
    """Return a pluggy manager that knows RPent's hooks and no plugin."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs.CollectHooks)
    manager.add_hookspecs(hookspecs.LifecycleHooks)
    return manager


def strict() -> bool:
    """Whether a broken plugin stops the program (`RPENT_STRICT_PLUGINS=1`, for CI)."""
    return os.environ.get("RPENT_STRICT_PLUGINS", "") not in {"", "0"}


def spec_name(spec: Any) -> str:
    """Return what the user types for a spec."""
    return str(spec.scheme if isinstance(spec, specs.TransportSpec) else spec.name)


class Loader:
    """Imports plugin modules and registers them with pluggy, each once.

    Args:
        manager: Where hooks are registered; a new one when None.
        extensions: The entries whose modules may add hookspecs. They are asked when a kind or a hook that core
            does not know comes up, and not before.
    """

    def __init__(
        self, manager: pluggy.PluginManager | None = None, *, extensions: Sequence[Entry] = ()
    ) -> None:
        self.manager = manager or new_manager()
        self.output: dict[str, str] = {}
        """Plugin module → what it printed while it was loaded; printing is a fault, though a small one."""
        self._kinds = Kinds(self.manager)
        self._extensions = extensions
        self._extended = False

    def load(self, entry: Entry) -> ModuleType | LoadFailure:
        """Import the module of `entry` and register its hooks; never raises, save in strict mode."""
        loaded: ModuleType | LoadFailure = self._guarded(entry, "import", lambda: self._load(entry))
        return loaded

    def spec(self, entry: Entry) -> Any:
        """Return the spec of `entry` (its module, for the kind `plugins`), or the `LoadFailure`."""
        module = self.load(entry)
        if isinstance(module, LoadFailure) or entry.kind == "plugins":
            return module
        return self._guarded(entry, "collect", lambda: self._collect(entry, module))

    def extend(self) -> None:
        """Ask the plugins that may add hookspecs; one that fails says so when it is itself asked for."""
        if not self._extended:
            self._extended = True
            for entry in self._extensions:
                self._guarded(entry, "import", partial(self._imported, entry))

    def _load(self, entry: Entry) -> ModuleType:
        module = self._imported(entry)
        if not self.manager.is_registered(module):
            self._register(module)
        return module

    def _imported(self, entry: Entry) -> ModuleType:
        """Import a module, check its interface, and add its hookspecs; its own hooks are not looked at."""
        check_core_version(entry)
        module = sys.modules.get(entry.module)
        if module is None or not self.manager.is_registered(module):
            module = self._fresh(entry)
        if entry.kind == "plugins":
            self._kinds.extend(module)
        return module

    def _fresh(self, entry: Entry) -> ModuleType:
        check_findable(entry)
        with self._heard(entry):
            module = import_module(entry.module)
        check_plugin_api(entry, module)
        return module

    @contextmanager
    def _heard(self, entry: Entry) -> Iterator[None]:
        """Keep what a plugin prints away from standard output, which may be JSON that a program reads."""
        printed = io.StringIO()
        try:
            with redirect_stdout(printed):
                yield
        finally:
            if printed.getvalue():
                self.output[entry.module] = self.output.get(entry.module, "") + printed.getvalue()

    def _register(self, module: ModuleType) -> None:
        """Register a module's hooks; one that nobody knows is looked for in what other plugins add."""
        try:
            self._register_once(module)
        except pluggy.PluginValidationError:
            try:
                self.extend()
                self._register_once(module)
            except pluggy.PluginValidationError as error:
                reason = str(error).splitlines()[0]
                raise PhaseError(
                    "hooks",
                    f"a hook is not one of this core's, nor of an installed plugin: {reason}.",
                    "See `rpent.hookspecs`.",
                ) from error

    def _register_once(self, module: ModuleType) -> None:
        try:
            self.manager.register(module)
            self.manager.check_pending()
        except pluggy.PluginValidationError:
            if self.manager.is_registered(module):
                self.manager.unregister(module)
            raise

    def _collect(self, entry: Entry, module: ModuleType) -> Any:
        hook = self._hook_of(entry)
        with self._heard(entry):
            found = [
                spec
                for impl in hook.get_hookimpls()
                if impl.plugin is module
                for spec in (impl.function() or ())
            ]
        expected = self._kinds.spec_type(entry.kind)
        for spec in found:
            if not isinstance(spec, expected):
                kind = type(spec).__name__
                raise PhaseError(
                    "collect", f"`{hook.name}` yields a `{kind}`; `{expected.__name__}` is expected."
                )
        for spec in found:
            if spec_name(spec) == entry.name:
                return spec
        names = ", ".join(f"`{spec_name(spec)}`" for spec in found) or "nothing"
        raise PhaseError(
            "collect",
            f"the entry point is named `{entry.name}`, but `{hook.name}` yields {names}.",
            "Give the spec and the entry point the same name, then install the distribution again.",
        )

    def _hook_of(self, entry: Entry) -> Any:
        if not self._kinds.known(entry.kind):
            self.extend()
        if not self._kinds.known(entry.kind):
            raise PhaseError(
                "collect",
                f"no installed plugin says what `rpent.{entry.kind}` are.",
                f"Install the distribution that {entry.distribution} extends, or uninstall it.",
            )
        return self._kinds.hook(entry.kind)

    def _guarded(self, entry: Entry, phase: Phase, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except KeyboardInterrupt:
            raise
        except PhaseError as error:
            if strict():
                raise
            cause = error.__cause__
            trace = "".join(traceback.format_exception(cause)) if cause else ""
            return failure_of(entry, error.phase, error.reason, remedy=error.remedy, trace=trace)
        except BaseException as error:  # a plugin may even call sys.exit() when it is imported
            if strict():
                raise
            reason, remedy = explain(entry, error)
            return failure_of(entry, phase, reason, remedy=remedy, trace=traceback.format_exc())


def check_core_version(entry: Entry) -> None:
    """Refuse a distribution whose metadata ask for another `rpent-core`, before any of it is imported."""
    if entry.built_in:
        return
    from packaging.requirements import Requirement  # noqa: PLC0415  (only when a plugin is loaded)

    for text in requirements_of(entry.dist):
        requirement = Requirement(text)
        if canonical(requirement.name) != CORE_DISTRIBUTION or requirement.specifier.contains(
            __version__, prereleases=True
        ):
            continue
        raise PhaseError(
            "core version",
            f"it needs `rpent-core{requirement.specifier}`; {__version__} is installed.",
            f"pip install --upgrade rpent-core {entry.distribution}",
        )


def check_findable(entry: Entry) -> None:
    """Refuse an entry point whose package is not there: the distribution changed since it was installed."""
    from importlib.util import find_spec  # noqa: PLC0415  (imports nothing where the name has no dot)

    if not all(part.isidentifier() for part in entry.module.split(".")):
        raise PhaseError("find", f"its entry point `{entry.point.value}` is not a module name.")
    top_level = entry.module.partition(".")[0]
    if top_level not in sys.modules and find_spec(top_level) is None:
        raise PhaseError(
            "find",
            f"its entry point names the module `{entry.module}`, which is not there.",
            reinstall(entry),
        )


def reinstall(entry: Entry) -> str:
    """Return how a distribution is installed again; one from a folder is not on an index, and may be misspelt."""
    from rpent.plugins.records import origin  # noqa: PLC0415  (it imports this module)

    editable, source = origin(entry.dist)
    if source is None:
        return f"pip install --force-reinstall {entry.distribution}"
    option = "--editable " if editable else ""
    return f"Is it right in {source}/pyproject.toml? Then: pip install --no-deps {option}{source}"


def check_plugin_api(entry: Entry, module: ModuleType) -> None:
    """Refuse a module that was written for another plugin interface."""
    stated = getattr(module, "PLUGIN_API", None)
    supported = f"{specs.PLUGIN_API_MIN}"
    if specs.PLUGIN_API_MAX != specs.PLUGIN_API_MIN:
        supported += f" to {specs.PLUGIN_API_MAX}"
    if isinstance(stated, int) and specs.PLUGIN_API_MIN <= stated <= specs.PLUGIN_API_MAX:
        return
    if stated is None:
        raise PhaseError(
            "plugin api", f"`{module.__name__}` states no `PLUGIN_API`; this core supports {supported}."
        )
    newer = isinstance(stated, int) and stated > specs.PLUGIN_API_MAX
    raise PhaseError(
        "plugin api",
        f"it is written for plugin interface {stated}; this rpent-core {__version__} supports {supported}.",
        f"pip install --upgrade {CORE_DISTRIBUTION if newer else entry.distribution}",
    )


def explain(entry: Entry, error: BaseException) -> tuple[str, str]:
    """Return a sentence on an exception that a plugin raised, and what to do about it."""
    report = (
        f"Report it to the authors of `{entry.distribution}`, or leave it out: `--no-plugin {entry.name}`."
    )
    if isinstance(error, ModuleNotFoundError) and error.name:
        if error.name == entry.module:
            reason = f"its entry point names the module `{entry.module}`, which is not there."
            return reason, reinstall(entry)
        missing = error.name.partition(".")[0]
        return f"it needs the module `{missing}`, which is not installed.", f"pip install {missing}"
    if isinstance(error, SystemExit):
        return f"it ends the process when it is imported (`sys.exit({error.code!r})`).", report
    detail = (str(error).splitlines() or [""])[0]
    return (
        f"it raised `{type(error).__name__}`: {detail}" if detail else f"it raised `{type(error).__name__}`.",
        report,
    )
