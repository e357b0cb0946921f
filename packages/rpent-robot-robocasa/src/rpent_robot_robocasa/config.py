"""RoboCasa's options: what the user sets for a run, and what the env server is started with."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

GlBackend = Literal["auto", "egl", "osmesa"]
Split = Literal["target", "pretrain", "all"]
Assets = Literal["auto", "real", "placeholder"]

DEFAULT_TASK = "StartCoffeeMachine"
"""The task of who names none."""

SMALLEST_PICTURE = 64
"""Pixels a side: in a smaller picture nothing is found."""

LAYOUTS = 60
"""Layouts and styles are numbered from 1 to this."""


class _Kitchen(BaseModel):
    """What the user's options and the env server's have in common."""

    model_config = ConfigDict(extra="forbid")

    split: Split = Field(
        "target",
        description="Kitchens and objects: target (10 kitchens), pretrain (50 × 50) or all (60 × 60).",
    )
    seed: int = Field(
        0, ge=0, lt=2**31, description="Draws the kitchen, the objects and where they stand; exact."
    )
    layout: int | None = Field(None, ge=1, le=LAYOUTS, description="This floor plan, whatever the seed.")
    style: int | None = Field(None, ge=1, le=LAYOUTS, description="This style, whatever the seed.")
    max_episode_steps: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Control steps until the episode ends; by default the benchmark's horizon.",
    )
    gl: GlBackend = Field("auto", description="How pictures are rendered; auto takes EGL, else OSMesa.")


class _Choice(BaseModel):
    """How a user names a task: the fields come first in the help."""

    model_config = ConfigDict(extra="forbid")

    task_name: str | None = Field(
        None,
        description=f"Task, such as OpenDrawer or PrepareCoffee; where nothing is chosen, {DEFAULT_TASK}.",
    )
    suite: str | None = Field(
        None, description="List of tasks: atomic_seen, composite_seen, composite_unseen; --task chooses."
    )
    task: int | None = Field(None, ge=0, description="Index of the task in the suite, instead of its name.")


class RobocasaConfig(_Kitchen, _Choice):
    """Which task of RoboCasa365 to run, and how."""

    assets: Assets = Field(
        "auto",
        description="Kitchen assets: real, placeholder, or auto: real where complete, else placeholder.",
    )
    hi_res: int = Field(
        0,
        ge=0,
        le=1024,
        description="Side of the main camera's picture for the planner; 0: 256, in which things are found.",
    )

    @field_validator("hi_res")
    @classmethod
    def _large_enough(cls, value: int) -> int:
        if 0 < value < SMALLEST_PICTURE:
            raise ValueError(
                f"a picture has at least {SMALLEST_PICTURE} pixels a side (0 takes the usual size)"
            )
        return value


class EnvServerConfig(_Kitchen):
    """What an env server is started with. A served env can be reset to any other task and kitchen."""

    task_name: str = Field(DEFAULT_TASK, description="Task, such as OpenDrawer or PrepareCoffee.")
    assets: str = Field(
        "auto", description="Kitchen assets: real, placeholder, auto (real, else placeholder), or a folder."
    )
    privileged: bool = Field(
        True, description="Serve instance masks (ground truth) to a perceptor that is marked privileged."
    )
