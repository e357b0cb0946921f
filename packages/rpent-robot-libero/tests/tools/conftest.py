"""A toolkit over the shared in-process env server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.perception import PerceptorContext
from rpent.robot import TaskSetup, ToolContext


@pytest.fixture
def toolkit_over(tmp_path: Path) -> Callable[..., object]:
    """Build a LIBERO toolkit over an env as it is now."""

    def build(env: EnvClient, *, perceptor: bool = True) -> object:
        from rpent_robot_libero.perception import LiberoPerceptor
        from rpent_robot_libero.toolkit import LiberoToolkit

        channels = {"env": env.channel}
        return LiberoToolkit(
            ToolContext(
                setup=TaskSetup(instruction="", tag="test", seed=0),
                channels=channels,
                run_dir=tmp_path,
                cancel=CancelToken,
                progress=lambda _: None,
                perceptor=LiberoPerceptor(PerceptorContext(channels=channels)) if perceptor else None,
            )
        )

    return build
