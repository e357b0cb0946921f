"""A tiny SmolVLA behind the real policy server, in a process of its own."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rpent.errors import RemoteError, ServiceError
from rpent.policies.chosen import ChosenPolicy
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.testing.environments import python_for, run_code
from rpent_policy_lerobot.config import LerobotConfig
from rpent_policy_lerobot.plugin import rpent_policies

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpent.services.channel import ServiceChannel

SPEC = next(iter(rpent_policies()))
CAMERAS = ("observation.images.image", "observation.images.image2")
EPISODES = ("one", "two", "three", "four")
MAKE = "import runpy; runpy.run_module('rpent_policy_lerobot.server.tiny', run_name='__main__')"

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smolvla")
    run_code("lerobot", MAKE, "smolvla", folder, distribution="rpent-policy-lerobot")
    return folder


def request(checkpoint: Path) -> ServiceRequest:
    """Return what `rpent serve policy --backend lerobot --checkpoint ...` asks the supervisor for."""
    values = {"checkpoint": str(checkpoint), "device": "cpu"}
    chosen = ChosenPolicy(spec=SPEC, config=LerobotConfig(**values), values=values)
    return ServiceRequest(
        spec=SPEC.service,
        config=chosen.server_config(),
        python=python_for("lerobot"),
        distribution="rpent-policy-lerobot",
    )


@pytest.fixture(scope="module")
def served(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceChannel]:
    events: list[dict[str, object]] = []
    logs = tmp_path_factory.mktemp("logs")
    with Supervisor(logs_dir=logs, on_event=events.append) as supervisor:
        supervisor.start([request(checkpoint)])
        assert "loading" in {event["state"] for event in events}
        yield supervisor.channels["vla"]


def ask(channel: ServiceChannel, episode: str, step: int) -> np.ndarray:
    random = np.random.default_rng([*episode.encode(), step])
    return channel.call(
        "infer_native",
        images={name: random.integers(0, 256, (256, 256, 3), dtype=np.uint8) for name in CAMERAS},
        state={"observation.state": random.normal(size=8)},
        instruction=f"pick up the bowl number {episode}",
        episode=episode,
    )


def test_it_describes_itself(served):
    about = served.call("describe")
    assert (about["backend"], about["family"], about["robot"]) == ("lerobot", "smolvla", None)
    assert (about["chunk_length"], about["execute_steps"], about["action_dim"]) == (16, 8, 7)
    assert about["facts"]["lerobot"]
    assert about["facts"]["threads"] == 1


def test_four_episodes_at_once_are_four_apart(served):
    alone = {}
    for episode in EPISODES:
        served.call("reset", episode=episode, seed=3)
        alone[episode] = [ask(served, episode, step) for step in range(3)]
    for episode in EPISODES:
        served.call("reset", episode=episode, seed=3)
    with ThreadPoolExecutor(len(EPISODES)) as pool:
        for step in range(3):
            together = list(pool.map(lambda episode, at=step: ask(served, episode, at), EPISODES))
            for episode, chunk in zip(EPISODES, together, strict=True):
                np.testing.assert_allclose(chunk, alone[episode][step], atol=1e-5, err_msg=episode)


def test_a_wrong_picture_is_a_sentence(served):
    with pytest.raises(RemoteError) as caught:
        served.call("infer_native", images={}, state={}, instruction="go", episode="one")
    assert "observation.images.image" in caught.value.message


def test_a_checkpoint_without_its_tokenizer_does_not_start(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    shutil.rmtree(copy / "tokenizer")
    with (
        pytest.raises(ServiceError) as caught,
        Supervisor(logs_dir=tmp_path / "logs", on_event=lambda _: None) as supervisor,
    ):
        supervisor.start([request(copy)])
    assert "`--tokenizer DIR`" in f"{caught.value.message} {caught.value.hint}"
