"""The kinds of plugins: core's, and those that other plugins add through `rpent_add_hookspecs`."""

from __future__ import annotations

from inspect import isclass
from typing import TYPE_CHECKING, Any

from rpent import hookspecs, specs
from rpent.plugins.failure import PhaseError
from rpent.suggest import listing

if TYPE_CHECKING:
    from types import ModuleType

    import pluggy

SPEC_TYPES: dict[str, type] = {
    "robots": specs.RobotSpec,
    "planners": specs.PlannerSpec,
    "transports": specs.TransportSpec,
    "tools": specs.ToolSpec,
    "policies": specs.PolicySpec,
    "perceptors": specs.PerceptorSpec,
    "executors": specs.ExecutorSpec,
    "commands": specs.CommandSpec,
    "frontends": specs.FrontendSpec,
}
"""Core's kinds → what their collect hooks yield."""

ADD_HOOKSPECS = "rpent_add_hookspecs"


class Kinds:
    """Which hook collects the specs of a kind, and of which type they are.

    Args:
        manager: Gets the hookspecs that plugins add.
    """

    def __init__(self, manager: pluggy.PluginManager) -> None:
        self._manager = manager
        self._added: dict[str, specs.KindSpec] = {}
        self._done: set[str] = set()

    def known(self, kind: str) -> bool:
        """Whether somebody has said what the specs of a kind are."""
        return kind in SPEC_TYPES or kind in self._added

    def hook(self, kind: str) -> Any:
        """Return the hook that collects the specs of a known kind."""
        added = self._added.get(kind)
        return getattr(self._manager.hook, added.hook if added else hookspecs.GROUPS[f"rpent.{kind}"])

    def spec_type(self, kind: str) -> type:
        """Return the class of the specs of a known kind."""
        if kind in SPEC_TYPES:
            return SPEC_TYPES[kind]
        found = specs.load_object(self._added[kind].spec)
        if not isclass(found):
            raise TypeError(f"`{self._added[kind].spec}` is not a class.")
        return found

    def extend(self, module: ModuleType) -> None:
        """Add the hookspecs and kinds that a plugin module brings; each module once.

        Raises:
            PhaseError: What it brings is no set of hookspecs, or takes a name that is in use.
        """
        implementation = getattr(module, ADD_HOOKSPECS, None)
        if implementation is None or module.__name__ in self._done:
            return
        for added in implementation() or ():
            if not isinstance(added, specs.HookspecSet):
                kind = type(added).__name__
                raise PhaseError("hooks", f"`{ADD_HOOKSPECS}` yields a `{kind}`; `HookspecSet` is expected.")
            self._add(added)
        self._done.add(module.__name__)

    def _add(self, added: specs.HookspecSet) -> None:
        namespace = specs.load_object(added.hookspecs)
        new = {name for name in dir(namespace) if self._manager.parse_hookspec_opts(namespace, name)}
        taken = [name for name in new if _specified(self._manager, name)]
        taken += [kind.name for kind in added.kinds if self.known(kind.name) or kind.name == "plugins"]
        if taken:
            raise PhaseError("hooks", f"it adds {listing(sorted(taken))}, which somebody has defined before.")
        for kind in added.kinds:
            if kind.hook not in new:
                raise PhaseError(
                    "hooks",
                    f"its kind `{kind.name}` is collected by `{kind.hook}`, which `{added.hookspecs}` has not.",
                )
        self._manager.add_hookspecs(namespace)
        self._added |= {kind.name: kind for kind in added.kinds}


def _specified(manager: pluggy.PluginManager, name: str) -> bool:
    caller = getattr(manager.hook, name, None)
    return caller is not None and caller.has_spec()
