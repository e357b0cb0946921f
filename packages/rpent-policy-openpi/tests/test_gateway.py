import contextlib
import urllib.request

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent_policy_openpi.client import OpenpiClient

from .stage import gateway, policy_server


@contextlib.contextmanager
def client(address, **options):
    one = OpenpiClient(f"ws://{address}", connect_timeout_s=2.0, **options)
    try:
        yield one
    finally:
        one.close()


def observation(value=0, **changes):
    return {
        "observation/image": np.full((224, 224, 3), value, np.uint8),
        "observation/wrist_image": np.zeros((224, 224, 3), np.uint8),
        "observation/state": np.arange(8, dtype=np.float64),
        "prompt": "pick up the cup",
    } | changes


def native(value=0):
    images = {
        "observation.images.image": np.full((64, 64, 3), value, np.uint8),
        "observation.images.wrist_image": np.zeros((64, 96, 3), np.uint8),
    }
    return images, {"observation.state": np.arange(8, dtype=np.float64)}


def test_a_client_gets_what_the_policy_server_answers(tmp_path):
    from rpent.cancel import CancelToken

    with policy_server(tmp_path) as upstream:
        expected = [
            upstream.infer(*native(), "pick up the cup", episode="direct", cancel=CancelToken())
            for _ in range(2)
        ]
        with gateway(upstream) as address, client(address) as one:
            first = one.infer(observation(), timeout_s=10)
            second = one.infer(observation(), timeout_s=10)
    assert one.metadata["action_horizon"] == 5
    assert one.metadata["action_dim"] == 7
    assert one.metadata["images"] == {"observation/image": [64, 64], "observation/wrist_image": [64, 96]}
    np.testing.assert_array_equal(first["actions"], expected[0])
    np.testing.assert_array_equal(second["actions"], expected[1])
    assert first["actions"].shape == (5, 7)
    assert first["policy_timing"]["infer_ms"] > 0
    assert set(first["server_timing"]) == {"infer_ms"}
    assert set(second["server_timing"]) == {"infer_ms", "prev_total_ms"}


def test_each_connection_is_an_episode_and_is_forgotten_with_it(tmp_path):
    with policy_server(tmp_path) as upstream, gateway(upstream) as address:
        with client(address) as one, client(address) as two:
            alone = one.infer(observation(), timeout_s=10)["actions"]
            np.testing.assert_array_equal(alone, two.infer(observation(), timeout_s=10)["actions"])
            assert not np.array_equal(alone, one.infer(observation(), timeout_s=10)["actions"])
        with client(address) as three:
            np.testing.assert_array_equal(alone, three.infer(observation(), timeout_s=10)["actions"])


@pytest.mark.parametrize(
    "picture",
    [
        np.full((3, 224, 224), 51, np.uint8),
        np.full((224, 224, 3), 0.2, np.float32),
        np.full((3, 128, 128), 0.2, np.float64),
    ],
)
def test_pictures_as_openpis_servers_take_them(tmp_path, picture):
    with (
        policy_server(tmp_path) as upstream,
        gateway(upstream) as address,
        client(address) as one,
        client(address) as two,
    ):
        sent = one.infer(observation(**{"observation/image": picture}), timeout_s=10)
        wanted = two.infer(observation(value=51), timeout_s=10)
    np.testing.assert_array_equal(sent["actions"], wanted["actions"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"observation/imag": 1},
            "unknown `observation/imag`; the policy takes .*`observation/image`.*--ignore",
        ),
        ({"observation/state": np.zeros(7)}, "`observation/state` has 7 numbers; the policy takes 8"),
        ({"observation/state": np.full(8, np.nan)}, "`observation/state` has NaN"),
        ({"observation/state": [1.0, [2.0, 3.0]]}, "`observation/state` is a list of lists; a vector"),
        ({"observation/state": "left"}, "`observation/state` is a `str`; a vector"),
        ({"observation/image": np.zeros((224, 224), np.uint8)}, r"`observation/image` is uint8 \(224, 224\)"),
        ({"observation/image": np.zeros((224, 224, 4), np.uint8)}, r"uint8 \(224, 224, 4\)"),
        ({"observation/image": np.zeros((8, 8, 3), np.int64)}, r"int64 \(8, 8, 3\)"),
        ({"observation/image": np.full((8, 8, 3), np.inf)}, "NaN or infinity"),
        ({"prompt": 5}, "lacks a text under `prompt`"),
    ],
)
def test_a_wrong_observation_is_a_readable_text_and_the_server_lives_on(tmp_path, changes, words):
    with policy_server(tmp_path) as upstream, gateway(upstream) as address, client(address) as one:
        with pytest.raises(PolicyError, match=f"failed: .*{words}"):
            one.infer(observation(**changes), timeout_s=10)
        assert one.infer(observation(extra=1), timeout_s=10)["actions"].shape == (5, 7)


def test_a_missing_key(tmp_path):
    wrong = observation()
    del wrong["observation/wrist_image"]
    with (
        policy_server(tmp_path) as upstream,
        gateway(upstream) as address,
        client(address) as one,
        pytest.raises(PolicyError, match="lacks `observation/wrist_image`"),
    ):
        one.infer(wrong, timeout_s=10)


def test_what_is_no_observation(tmp_path):
    from websockets.sync.client import connect as plain

    with policy_server(tmp_path) as upstream, gateway(upstream) as address:
        for message in (b"\xc1", b"\x01", "hello", b"\x81\xa1a\x81\xc4\x0b__ndarray__\xc3"):
            with plain(f"ws://{address}", compression=None) as one:
                one.recv(5)
                one.send(message)
                said = one.recv(5)
                assert isinstance(said, str), said
                assert "Traceback" not in said


def test_the_policys_failure_reaches_the_client_as_one_sentence(tmp_path):
    with (
        policy_server(tmp_path, failure="error", fail_times=1) as upstream,
        gateway(upstream) as address,
        client(address) as one,
    ):
        with pytest.raises(PolicyError, match="The policy `fake` failed: RuntimeError: mat1"):
            one.infer(observation(), timeout_s=10)
        one.infer(observation(), timeout_s=10)


def test_pings_are_answered_while_the_policy_thinks(tmp_path):
    from rpent_policy_openpi.wire import pack, unpack
    from websockets.sync.client import connect as plain

    with (
        policy_server(tmp_path, slow_s=1.5) as upstream,
        gateway(upstream) as address,
        plain(f"ws://{address}", compression=None, ping_interval=0.2, ping_timeout=0.5) as one,
    ):
        unpack(one.recv(5))
        one.send(pack(observation()))
        assert unpack(one.recv(10))["actions"].shape == (5, 7)


def test_a_client_that_leaves_withdraws_its_question(tmp_path):
    with policy_server(tmp_path, slow_s=0.5) as upstream, gateway(upstream) as address:
        with client(address) as one, pytest.raises(PolicyError, match="no answer"):
            one.infer(observation(), timeout_s=0.1)
        with client(address) as two:
            assert two.infer(observation(), timeout_s=10)["actions"].shape == (5, 7)


def test_keys_of_another_client_and_a_default_prompt(tmp_path):
    given = (
        "cam.top=observation.images.image",
        "cam.side=observation.images.wrist_image",
        "arm=observation.state",
        "hand=observation.state",
    )
    wanted = observation()
    with policy_server(tmp_path) as upstream:
        with gateway(upstream) as address, client(address) as one:
            expected = one.infer(wanted, timeout_s=10)["actions"]
        with (
            gateway(upstream, given=given, default_prompt="pick up the cup") as address,
            client(address) as one,
        ):
            answer = one.infer(
                {
                    "cam": {
                        "top": wanted["observation/image"],
                        "side": wanted["observation/wrist_image"],
                    },
                    "arm": np.arange(7.0),
                    "hand": 7.0,
                },
                timeout_s=10,
            )["actions"]
    np.testing.assert_array_equal(answer, expected)


def test_health_and_keys(tmp_path):
    with policy_server(tmp_path) as upstream, gateway(upstream, api_key="s3cret") as address:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=5) as answer:
            assert (answer.status, answer.read()) == (200, b"OK\n")
        with client(address) as one, pytest.raises(PolicyError, match="HTTP status 401"):
            one.connect()
        with client(address, api_key="s3cret") as one:
            one.infer(observation(), timeout_s=10)
