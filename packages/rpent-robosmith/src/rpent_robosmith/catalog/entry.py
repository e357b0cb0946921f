"""One environment of a catalog."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, model_validator

from rpent_robosmith.data import Data
from rpent_robosmith.measures import Measure, Success

SERVED = "rpent"
"""The adapter of env servers: `env_id` is then the name of an installed robot."""


class TrainingDefaults(Data):
    """What usually works there, found by `benchmarks/`."""

    algorithm: str
    total_steps: int = Field(ge=1)
    n_envs: int = Field(1, ge=1, le=64)
    normalize_observations: bool = False
    normalize_rewards: bool = False
    hyperparameters: dict[str, Any] = {}


class EntryNeeds(Data):
    """What an environment needs beyond its adapter; fields as of `rpent_robosmith.specs.Needs`."""

    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    install: str = ""


class EnvEntry(Data):
    """An environment that can be made, and what success is there."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    name: str
    adapter: str
    """An env adapter: `gymnasium`, `gymnasium-robotics`, `robosuite`, `mjcf`, `rpent`."""
    env_id: str
    needs: EntryNeeds = EntryNeeds()
    kwargs: dict[str, Any] = {}
    robot: str
    """`none`, `arm`, `quadruped`, `biped`, `hand`, `mobile-base`, `vehicle`, `toy`, ..."""
    robot_model: str | None = None
    tags: tuple[str, ...]
    description: str
    max_episode_steps: int | None = Field(None, ge=1)
    measures: dict[str, Measure] = {}
    numbers: dict[str, tuple[str, ...]] = {}
    """What the numbers of an observation and action are, where the environment's own documentation has no table of
    them: `observation` (or a part's key) and `action` → `name [unit]` each; of a discrete action, each choice."""
    success: Success
    progress: str
    """The measure that tells better from worse while nothing succeeds yet (`return` is the environment's own)."""
    training: TrainingDefaults | None = None
    """None: nothing that comes along learns it within reason (pictures, hours); it is never chosen for a sentence, and
    used where it is named."""
    source: str = ""
    """Where it is documented."""

    @model_validator(mode="after")
    def _measures_are_known(self) -> Self:
        known = {*self.measures, "return", "length"}
        for name in (self.success.measure, self.progress):
            if name is not None and name not in known:
                raise ValueError(f"`{self.id}` names the measure `{name}`, which it does not declare")
        return self

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every metric that an evaluation of it knows."""
        from rpent_robosmith.task import METRICS  # noqa: PLC0415

        return (*METRICS, *(f"mean_{name}" for name in self.measures))
