"""What the fake robot and its env server can be told."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FakeConfig(BaseModel):
    """Options of the robot."""

    model_config = ConfigDict(extra="forbid")

    task: int = Field(default=0, ge=0, le=2, description="Which cube goes on the pad.")
    seed: int = Field(default=0, ge=0, description="Where the cubes stand.")
    max_episode_steps: int = Field(default=1000, gt=0, description="Control steps of an episode.")
    step_time_s: float = Field(default=0.0, ge=0, description="What one control step takes.")


class FakeEnvConfig(FakeConfig):
    """Options of the env server."""

    privileged: bool = Field(default=False, description="Serve ground truth to a privileged perceptor.")
