"""Distributions that look installed: a folder of modules and metadata, without pip."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING

from rpent._version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class PluginSite:
    """A folder on the import path into which a test puts distributions, with their entry points."""

    path: Path

    def add(
        self,
        distribution: str,
        *,
        entry_points: Mapping[str, Mapping[str, str]],
        modules: Mapping[str, str],
        version: str = "1.0.0",
        requires: Sequence[str] = ("rpent-core",),
    ) -> None:
        """Put a distribution into the folder.

        Args:
            distribution: Its name: `rpent-robot-x`.
            entry_points: Group → name → module: `{"rpent.robots": {"x": "x_plugin"}}`.
            modules: Module file → source, which is dedented: `{"x_plugin.py": "PLUGIN_API = 1"}`.
            version: Its version.
            requires: What it depends on.
        """
        for name, source in modules.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(source), encoding="utf-8")
        info = self.path / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        metadata = ["Metadata-Version: 2.1", f"Name: {distribution}", f"Version: {version}"]
        metadata += [f"Requires-Dist: {requirement}" for requirement in requires]
        (info / "METADATA").write_text("\n".join(metadata) + "\n", encoding="utf-8")
        sections = [
            f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in points.items())
            for group, points in entry_points.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(sections), encoding="utf-8")
        record = [f"{name},," for name in modules]
        (info / "RECORD").write_text("\n".join(record) + "\n", encoding="utf-8")

    def add_robot(
        self, name: str, *, source: str = "", distribution: str | None = None, **extra: object
    ) -> None:
        """Put a robot plugin into the folder; `source` replaces the body of its plugin module."""
        distribution = distribution or f"rpent-robot-{name}"
        module = distribution.replace("-", "_")
        self.add(
            distribution,
            entry_points={"rpent.robots": {name: module}},
            modules={f"{module}.py": source or ROBOT_PLUGIN.format(name=name, module=module)},
            **extra,  # type: ignore[arg-type]
        )

    def add_fake_robot(self) -> None:
        """Put the fake robot of `rpent.testing` into the folder: `--robot fake`, in child processes too."""
        self.add(
            "rpent-robot-fake",
            entry_points={"rpent.robots": {"fake": "rpent_robot_fake"}},
            modules={"rpent_robot_fake.py": FAKE_ROBOT_PLUGIN},
            version=__version__,  # what its env server, which is core's, says of itself
        )

    def add_fake_policy(self) -> None:
        """Put the policy backend of `rpent.testing` into the folder: `--policy fake`, in child processes too."""
        self.add(
            "rpent-policy-fake",
            entry_points={"rpent.policies": {"fake": "rpent_policy_fake"}},
            modules={"rpent_policy_fake.py": FAKE_POLICY_PLUGIN},
        )


ROBOT_PLUGIN = """
from rpent.api import RobotSpec, hookimpl

PLUGIN_API = 1


@hookimpl
def rpent_robots():
    yield RobotSpec(
        name="{name}", summary="The robot {name}.", robot="{module}:Robot", config="{module}:Config"
    )


def __getattr__(attribute):  # the heavy part, made on demand
    from pydantic import BaseModel, Field

    if attribute != "Config":
        raise AttributeError(attribute)

    class Config(BaseModel):
        speed_m_s: float = Field(0.1, gt=0, le=1, description="How fast it moves.")

    return Config
"""
"""A light plugin module for a robot `{name}`; its config model is made when it is asked for."""
FAKE_ROBOT_PLUGIN = """
from rpent.api import hookimpl

PLUGIN_API = 1


@hookimpl
def rpent_robots():
    from rpent.testing.fake_robot.robot import SPEC

    yield SPEC
"""
FAKE_POLICY_PLUGIN = """
from rpent.api import hookimpl

PLUGIN_API = 1


@hookimpl
def rpent_policies():
    from rpent.testing.policies.fake import SPEC

    yield SPEC
"""
