"""What runs in the environment `robosmith`: gymnasium-robotics, MuJoCo's Gymnasium environments and scenes, drawn."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # before MuJoCo is imported

import pytest
import yaml
from rpent_robosmith.catalog.load import find
from rpent_robosmith.synthesis.entry import scene_entry
from rpent_robosmith.testing.env_adapter_contract import EnvAdapterContract
from rpent_robosmith.worker.adapters.gymnasium import GymnasiumAdapter
from rpent_robosmith.worker.adapters.mjcf import MjcfAdapter
from rpent_robosmith.worker.adapters.robotics import RoboticsAdapter

EXAMPLE = Path(__file__).parents[4] / "examples" / "arm-reach.yaml"


class TestFetchReach(EnvAdapterContract):
    @pytest.fixture
    def adapter(self):
        return RoboticsAdapter()

    @pytest.fixture
    def entry(self):
        return find("fetch-reach")


class TestHandReach(TestFetchReach):
    @pytest.fixture
    def entry(self):
        return find("hand-reach")


class TestPointMaze(TestFetchReach):
    @pytest.fixture
    def entry(self):
        return find("point-maze-umaze")


class TestReacher(EnvAdapterContract):
    @pytest.fixture
    def adapter(self):
        return GymnasiumAdapter()

    @pytest.fixture
    def entry(self):
        return find("reacher")


class TestScene(EnvAdapterContract):
    @pytest.fixture
    def adapter(self):
        return MjcfAdapter()

    @pytest.fixture
    def entry(self):
        return scene_entry(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8")))

    def test_an_unknown_environment_is_one_sentence(self):
        """A scene's name is whatever its author called it."""
