"""What is written is read by LeRobot 0.4 itself, in its managed environment."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rpent.environments.interpreter import linked_interpreter
from rpent.testing.environments import python_for
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

_SCRIPT = Path(__file__).parent / "inside" / "reading.py"
pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """What LeRobot makes of a dataset of nine episodes with a camera."""
    folder = write_toy(tmp_path_factory.mktemp("written") / "d", toy_episodes(9, pictures=True))
    interpreter = linked_interpreter(python_for("lerobot"), "rpent-robosmith", "rpent-torch")
    done = subprocess.run(
        [interpreter.python, str(_SCRIPT), str(folder)],
        env=interpreter.environ({"HF_HUB_OFFLINE": "1"}),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    sys.stderr.write(done.stderr[-500:])
    found: dict[str, list[object]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_numbers_and_instructions(seen: dict[str, list[object]]) -> None:
    episodes = list(toy_episodes(9))
    assert seen["count"] == [sum(len(each.actions) for each in episodes), 9]
    actions = np.concatenate([each.actions for each in episodes])
    state = np.concatenate([each.state["state"] for each in episodes])
    np.testing.assert_array_equal(np.float32(seen["action"]), actions)
    np.testing.assert_array_equal(np.float32(seen["state"]), state)
    assert seen["task"] == [each.task for each in episodes for _ in each.actions]
    assert seen["success"] == [
        t == len(each.actions) - 1 and each.success for each in episodes for t in range(len(each.actions))
    ]


def test_statistics(seen: dict[str, list[object]]) -> None:
    actions = np.concatenate([each.actions for each in toy_episodes(9)])
    mean, std, low, high = np.asarray(seen["statistics"], np.float64)
    np.testing.assert_allclose(mean, actions.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(std, actions.std(axis=0), rtol=1e-5)
    np.testing.assert_allclose(low, actions.min(axis=0))
    np.testing.assert_allclose(high, actions.max(axis=0))


def test_chunks_end_with_the_episode(seen: dict[str, list[object]]) -> None:
    assert seen["padding"] == [[False, False, False], [False, False, True], [False, True, True]]


def test_every_frame_is_the_one_of_its_time(seen: dict[str, list[object]]) -> None:
    wanted = [(15 * e.index + t) % 256 for e in toy_episodes(9) for t in range(len(e.actions))]
    np.testing.assert_allclose(np.float64(seen["grey"]), wanted, atol=2.5)
