"""The policy server's methods, through dispatcher and codec."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import CancelledCallError, PolicyError, RemoteError, UsageError
from rpent.policies.api import CameraInput, PolicyRequest, Signature
from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart
from rpent.policies.episodes import request_seed
from rpent.policies.server import create
from rpent.testing.policies.fake import SIGNATURE, SPEC, fake_chunk, make_checkpoint
from rpent.testing.policies.serving import served_policy, server_config

ROBOT = Embodiment(
    robot="arm",
    cameras={"view": "the table", "wrist": "the fingers"},
    camera_size=32,
    state={"position": 3, "width": 1},
    action={"delta": ActionField(length=3), "gripper": ActionField(length=1)},
    control_rate_hz=20.0,
    layouts=(
        Layout(
            name="mirrored",
            cameras={"front": CameraView(camera="view", flip="horizontal")},
            state={"pose": (StatePart(field="position", scale=2.0),)},
            action=(
                ActionPart(field="delta", scale=0.5),
                ActionPart(field="gripper", scale=-1.0, binary=True),
            ),
        ),
    ),
)
PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
OBSERVATION = {"images": {"view": PICTURE}, "state": {"position": [0.1, 0.2, 0.3]}}
NATIVE = {"images": {"front": PICTURE}, "state": {"pose": [0.1, 0.2, 0.3]}}


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")


@pytest.fixture
def config(checkpoint):
    def config(robot=ROBOT, layout=None, **values):
        return server_config(SPEC, {"checkpoint": str(checkpoint), **values}, embodiment=robot, layout=layout)

    return config


def expected(picture, pose, *, seed=0, step=0, instruction="go"):
    request = PolicyRequest(
        images={"front": picture},
        state={"pose": np.array(pose, np.float32)},
        instruction=instruction,
        episode="",
        step=step,
        seed=request_seed(seed, step),
    )
    return fake_chunk(SIGNATURE, request, memory=step).astype(np.float64)


def test_it_says_what_it_takes_and_gives(config):
    with served_policy(config(execute_steps=3)) as channel:
        about = channel.call("describe")
        assert channel.info.name == "policy/fake"
        assert channel.info.info["robot"] == "arm"
    assert (about["robot"], about["layout"], about["family"]) == ("arm", "mirrored", "fake")
    assert about["cameras"] == {"view": [64, 64]}
    assert about["state"] == {"position": 3}
    assert about["action"] == {"delta": 3, "gripper": 1}
    assert (about["action_dim"], about["chunk_length"], about["execute_steps"]) == (4, 8, 3)
    assert about["control_rate_hz"] == 20.0
    assert Signature.model_validate(about["signature"]) == SIGNATURE
    assert about["facts"]["threads"] == 1
    assert about["infer_timeout_s"] >= 60


def test_without_a_robot_it_speaks_the_checkpoints_words(config):
    with served_policy(config(robot=None)) as channel:
        about = channel.call("describe")
        assert about["robot"] is None
        assert about["cameras"] == {"front": [64, 64]}
        assert about["action"] == {"move": 3, "gripper": 1}
        chunk = channel.call("infer_native", **NATIVE, instruction="go", episode="a")
        np.testing.assert_array_equal(chunk, expected(PICTURE, [0.1, 0.2, 0.3]))
        with pytest.raises(RemoteError, match="started without a robot"):
            channel.call("infer", observation=OBSERVATION, instruction="go", episode="a")


def test_an_answer_is_the_robots_own_action(config):
    with served_policy(config()) as channel:
        channel.call("reset", episode="a", seed=5)
        for step in range(2):
            chunk = channel.call("infer", observation=OBSERVATION, instruction="go", episode="a")
            raw = expected(PICTURE[:, ::-1], [0.2, 0.4, 0.6], seed=5, step=step)
            np.testing.assert_allclose(chunk[:, :3], 0.5 * raw[:, :3])
            np.testing.assert_array_equal(chunk[:, 3], np.where(raw[:, 3] > 0, -1.0, 1.0))


WITH_HISTORY = SIGNATURE.model_copy(update={"history": (-4, -2)})


def past(step, picture=PICTURE, **changes):
    return {"step": step, "images": {"view": picture}, "state": OBSERVATION["state"], **changes}


def test_what_was_before_reaches_the_policy_in_its_own_names(config, checkpoint):
    make_checkpoint(checkpoint, WITH_HISTORY)
    dark = PICTURE // 2
    with served_policy(config()) as channel:
        assert channel.call("describe")["history"] == [-4, -2]
        observation = {**OBSERVATION, "history": [past(-4, dark), past(-2)]}
        chunk = channel.call("infer", observation=observation, instruction="go", episode="a")
        native = {
            "images": {"front": PICTURE[:, ::-1].copy()},
            "state": {"pose": np.array([0.2, 0.4, 0.6])},
            "instruction": "go",
            "episode": "b",
        }
        frames = [
            {"step": step, "images": {"front": picture[:, ::-1].copy()}, "state": native["state"]}
            for step, picture in ((-4, dark), (-2, PICTURE))
        ]
        with_past = channel.call("infer_native", **native, history=frames)
        channel.call("reset", episode="b")
        without = channel.call("infer_native", **native)
    np.testing.assert_allclose(chunk[:, :3], 0.5 * with_past[:, :3])
    assert not np.allclose(with_past, without)


@pytest.mark.parametrize(
    ("history", "says"),
    [
        ([past(-6), past(-4), past(-2)], "at most 2 frames"),
        ("yesterday", "at most 2 frames"),
        ([past(-2), past(-4)], "oldest first"),
        ([past(-2), past(-2)], "oldest first"),
        ([past(0)], "below 0"),
        ([past("-2")], "not a mapping with `step`"),
        ([past(-2, depth={})], "not a mapping with `step`"),
        ([past(-2, images={})], "lacks `view`"),
        ([past(-2, state={"position": [np.nan, 0, 0]})], "NaN"),
    ],
)
def test_what_is_wrong_with_what_was_before_is_named(config, checkpoint, history, says):
    make_checkpoint(checkpoint, WITH_HISTORY)
    observation = {**OBSERVATION, "history": history}
    with served_policy(config()) as channel, pytest.raises(RemoteError, match=says):
        channel.call("infer", observation=observation, instruction="go", episode="a")


def test_a_policy_that_looks_at_nothing_of_before_is_told_nothing(config):
    with served_policy(config()) as channel:
        observation = {**OBSERVATION, "history": []}
        channel.call("infer", observation=observation, instruction="go", episode="a")
        observation = {**OBSERVATION, "history": [past(-2)]}
        with pytest.raises(RemoteError, match="no frames"):
            channel.call("infer", observation=observation, instruction="go", episode="a")


@pytest.mark.parametrize(
    ("observation", "says"),
    [
        ({**OBSERVATION, "images": {}}, "`images` lacks `view`"),
        ({**OBSERVATION, "images": {"view": PICTURE, "wrist": PICTURE}}, "has `wrist`"),
        ({"images": OBSERVATION["images"]}, "`state` lacks `position`"),
        ({**OBSERVATION, "depth": {}}, "mapping with `images` and `state`"),
        (None, "mapping with `images` and `state`"),
        ({**OBSERVATION, "state": {"position": [0.0, np.nan, 0.0]}}, "NaN or infinity"),
    ],
)
def test_what_is_wrong_with_an_observation_is_named(config, observation, says):
    with served_policy(config()) as channel:
        with pytest.raises(RemoteError, match=says) as caught:
            channel.call("infer", observation=observation, instruction="go", episode="a")
        assert caught.value.kind == "PolicyError"
        assert channel.call("infer", observation=OBSERVATION, instruction="go", episode="a").shape == (8, 4)
        assert channel.call("status")["answered"] == 1


def test_a_checkpoint_that_does_not_fit_is_refused_at_load(tmp_path, config):
    other = SIGNATURE.model_copy(update={"cameras": {"top": CameraInput()}})
    make_checkpoint(tmp_path / "checkpoint", other)
    with pytest.raises(PolicyError, match="does not fit the robot `arm`") as caught:
        create(config())
    assert "camera `top`" in caught.value.hint


def test_a_policy_that_cannot_answer_does_not_start(config):
    with pytest.raises(PolicyError, match=r"cannot answer a made-up request.*NaN"):
        create(config(failure="nan", fail_from=0))
    with pytest.raises(PolicyError, match=r"cannot answer a made-up request.*ran out of memory"):
        create(config(failure="oom", fail_from=0))


def test_wrong_values_do_not_start(config):
    with pytest.raises(PolicyError, match="`execute_steps` is 9, but the policy answers with 8 actions"):
        create(config(execute_steps=9))
    with pytest.raises(UsageError, match="has no layout `other`"):
        create(config(layout="other"))
    broken = config()
    broken.config["slow_s"] = "much"
    with pytest.raises(UsageError, match="slow_s"):
        create(broken)


def test_a_missing_library_names_the_way_to_get_it(config):
    broken = config()
    broken.policy = "no_such_library:load"
    with pytest.raises(PolicyError, match="needs the module `no_such_library`") as caught:
        create(broken)
    assert "rpent env sync" in caught.value.hint


def test_loading_is_told_line_by_line(config, capfd):
    create(config()).close()
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("loading: ")]
    assert lines[0].startswith("loading: fake ")
    assert "loading: reading the weights (50%)" in lines
    assert lines[-1] == "loading: a first answer"


def test_many_waiting_clients_starve_nobody(config):
    with served_policy(config(slow_s=0.5, max_batch=2)) as channel, ThreadPoolExecutor(64) as clients:
        asked = [
            clients.submit(
                channel.call,
                "infer",
                observation=OBSERVATION,
                instruction="go",
                episode=f"e{n}",
                timeout_s=60,
            )
            for n in range(64)
        ]
        while channel.call("status", timeout_s=5)["queue"] < 60:
            pass
        assert channel.call("describe", timeout_s=5)["robot"] == "arm"
        for n in range(8, 64):
            channel.call("reset", episode=f"e{n}", timeout_s=5)
        results = [future.exception(60) for future in asked]
        assert sum(error is None for error in results) >= 6
        assert all("was reset" in str(error) for error in results if error is not None)


def test_a_cancelled_call_ends_although_the_model_goes_on(config):
    with served_policy(config(slow_s=1.0)) as channel:
        token, seen = CancelToken(), []

        def ask():
            with pytest.raises(CancelledCallError) as caught:
                channel.call("infer", observation=OBSERVATION, instruction="go", episode="a", cancel=token)
            seen.append(caught.value)

        thread = threading.Thread(target=ask)
        thread.start()
        while channel.call("status")["running_s"] is None:
            pass
        token.cancel()
        thread.join(20)
        assert seen
        assert channel.call("status")["answered"] == 0


def test_episodes_on_one_server_are_those_of_servers_of_their_own(config):
    def episode(channel, number):
        channel.call("reset", episode=f"e{number}", seed=number)
        return [
            channel.call(
                "infer",
                observation={**OBSERVATION, "state": {"position": [number, step, 0.0]}},
                instruction=f"task {number}",
                episode=f"e{number}",
            )
            for step in range(10)
        ]

    with served_policy(config()) as channel, ThreadPoolExecutor(4) as clients:
        together = list(clients.map(lambda number: episode(channel, number), range(4)))
        batches = channel.call("status")["batches"]
    assert sum(int(size) * times for size, times in batches.items()) == 40
    for number in range(4):
        with served_policy(config()) as channel:
            np.testing.assert_array_equal(episode(channel, number), together[number])
