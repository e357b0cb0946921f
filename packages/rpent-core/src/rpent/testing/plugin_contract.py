"""The contract that every plugin distribution passes: it loads, it is light, its specs lead somewhere."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from rpent.plugins import registry
from rpent.plugins.failure import LoadFailure
from rpent.plugins.index import CORE_DISTRIBUTION, canonical
from rpent.specs import FrontendSpec, load_object, services_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.plugins.index import Entry

HEAVY = (
    "numpy",
    "pydantic",
    "torch",
    "mujoco",
    "robosuite",
    "libero",
    "httpx",
    "fastapi",
    "uvicorn",
    "zmq",
    "PIL",
)
"""What no light plugin module imports."""

MAX_MODULES = 40
"""How many modules a plugin module may bring in besides `rpent.api` and the specs."""

_COUNT = """
import json, sys
from rpent.api import RobotSpec, hookimpl
before = set(sys.modules)
for name in sys.argv[2:]:
    __import__(name)
print(json.dumps(sorted(set(sys.modules) - before)), file=open(sys.argv[1], "w"))
"""


class PluginContract:
    """The tests of any plugin distribution. Subclass it and name the distribution.

    Example::

        class TestMyBot(PluginContract):
            distribution = "rpent-robot-my-bot"
    """

    distribution: ClassVar[str]

    @pytest.fixture
    def entries(self) -> list[Entry]:
        """The entry points of the distribution."""
        registry.current.cache_clear()
        index = registry.current().index
        found = [entry for entry in index.entries() if entry.distribution == canonical(self.distribution)]
        assert found, f"`{self.distribution}` has no installed entry point; install it again after a change."
        return found

    @pytest.fixture
    def loaded(self, entries: list[Entry]) -> list[Any]:
        """The specs of the distribution."""
        return [self._load(entry) for entry in entries]

    @staticmethod
    def _load(entry: Entry) -> Any:
        spec = registry.current().try_entry(entry)
        assert not isinstance(spec, LoadFailure), f"`{entry.qualified_name}` ({entry.kind}): {spec.reason}"
        return spec

    def test_every_entry_point_loads(self, loaded: list[Any]) -> None:
        """Each name leads to a spec of that name, for this core's plugin interface."""
        assert loaded

    def test_names_are_free(self, entries: list[Entry]) -> None:
        """No other installed distribution has taken a name."""
        for entry in entries:
            assert registry.current().lost_name(entry) is None

    def test_plugin_modules_are_light(self, entries: list[Entry], tmp_path: Any) -> None:
        """Importing them brings in few modules, none of them heavy, and prints nothing."""
        out = tmp_path / "modules.json"
        command = [sys.executable, "-c", _COUNT, str(out), *sorted({entry.module for entry in entries})]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        added = json.loads(out.read_text())
        assert done.stdout == "", "a plugin module prints when it is imported"
        heavy = sorted({name.partition(".")[0] for name in added} & set(HEAVY))
        assert not heavy, f"a plugin module imports {heavy}; name what needs them by an import string"
        assert len(added) <= MAX_MODULES, f"a plugin module brings in {len(added)} modules: {added}"

    def test_hooks_take_no_defaults(self, entries: list[Entry]) -> None:
        """Pluggy passes arguments by name; a default hides that the core does not pass one."""
        for entry in entries:
            registry.current().loader.load(entry)
            module = sys.modules[entry.module]
            for name, function in vars(module).items():
                if name.startswith("rpent_") and callable(function):
                    parameters = inspect.signature(function).parameters.values()
                    assert all(item.default is inspect.Parameter.empty for item in parameters), name

    def test_specs_are_plain(self, loaded: list[Any]) -> None:
        """Specs are frozen, can be pickled, and have a summary of one line."""
        for spec in loaded:
            if dataclasses.is_dataclass(spec):
                assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301  (our own bytes)
                summary = getattr(spec, "summary", "")
                assert summary
                assert "\n" not in summary

    def test_config_models_become_options(self, loaded: list[Any]) -> None:
        """Every config model can be imported on the agent's side, and describes each of its fields."""
        from rpent.cli.options import options_from_model  # noqa: PLC0415

        for model in map(load_object, self._configs(loaded)):
            assert options_from_model(model) or not model.model_fields
            undescribed = [name for name, field in model.model_fields.items() if not field.description]
            assert not undescribed, f"`{model.__name__}` does not describe {undescribed}"

    def test_front_ends_take_a_request(self, loaded: list[Any]) -> None:
        """A front end is called as `run(request, config, task_given=...)`."""
        for spec in loaded:
            if isinstance(spec, FrontendSpec):
                run = inspect.signature(load_object(spec.frontend))
                run.bind(object(), object(), task_given=True)

    def test_agent_side_imports_no_simulator(self, loaded: list[Any]) -> None:
        """What the planner's process imports of a robot brings in no simulator and no model library."""
        strings = [*self._configs(loaded), *(spec.robot for spec in loaded if hasattr(spec, "robot"))]
        program = (
            "import sys, rpent.specs as s\nfor name in sys.argv[1:]:\n    s.load_object(name)\n"
            "found = {'mujoco', 'robosuite', 'libero', 'torch', 'transformers'} & set(sys.modules)\n"
            "sys.exit(f'imported on the agent side: {found}' if found else 0)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, *strings], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def test_core_is_bounded(self, entries: list[Entry]) -> None:
        """The distribution says which core it needs, so that pip never installs two that do not fit."""
        if canonical(self.distribution) == CORE_DISTRIBUTION:
            pytest.skip("this is the core")
        dist = entries[0].dist
        assert dist is not None
        requirements = [text for text in dist.requires or () if canonical(text).startswith(CORE_DISTRIBUTION)]
        assert any(">=" in text for text in requirements), f"no `rpent-core>=...` among {dist.requires}"

    @staticmethod
    def _configs(loaded: Sequence[Any]) -> list[str]:
        found = [spec.config for spec in loaded if getattr(spec, "config", None)]
        for spec in loaded:
            found += [service.config for service in services_of(spec) if service.config]
        return found
