"""LIBERO's options: what the user sets for a run, and what the env server is started with."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rpent_robot_libero.catalog import DEFAULT_SUITE

GlBackend = Literal["auto", "egl", "osmesa"]


class _Episode(BaseModel):
    """What the user's options and the env server's have in common."""

    model_config = ConfigDict(extra="forbid")

    suite: str = Field(DEFAULT_SUITE, description="Task suite, such as libero_object or libero_goal_swap.")
    task: int = Field(0, ge=0, description="Index of the task in the suite, in the benchmark's own order.")
    seed: int = Field(
        0, ge=0, lt=2**31, description="Selects the recorded initial state: seed modulo their number (50)."
    )
    max_episode_steps: int = Field(
        10000, ge=1, le=100_000, description="Control steps until the episode ends."
    )
    gl: GlBackend = Field("auto", description="How pictures are rendered; auto takes EGL, else OSMesa.")


class LiberoConfig(_Episode):
    """Which task of LIBERO or LIBERO-PRO to run, and how."""

    libero_type: Literal["standard", "pro"] = Field(
        "pro",
        description="standard accepts only the suites of the original LIBERO, pro all that are complete.",
    )


class EnvServerConfig(_Episode):
    """What an env server is started with. A served env can be reset to another task of the same suite."""

    privileged: bool = Field(
        True, description="Serve instance masks (ground truth) to a perceptor that is marked privileged."
    )
    settle_steps: int = Field(
        10, ge=0, le=200, description="Null actions with open fingers after a reset, before step 0."
    )
    model_cache: bool = Field(True, description="Keep compiled scenes under the user's cache directory.")
    model_cache_gb: float = Field(
        4.0, gt=0, description="Oldest compiled scenes go when they take more than this."
    )
