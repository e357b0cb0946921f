import threading
import time

import numpy as np
import pytest
from rpent.errors import PolicyError, UsageError
from rpent.policies.api import PolicyRequest
from rpent_policy_openpi.client import OpenpiClient
from rpent_policy_openpi.config import OpenpiConfig
from rpent_policy_openpi.policy import load
from rpent_policy_openpi.signature import signature
from rpent_policy_openpi.testing import LocalOpenpiServer, libero_policy
from rpent_policy_openpi.wire import pack
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def request(value=100, episode="a", step=0):
    return PolicyRequest(
        images={
            name: np.full((224, 224, 3), value, np.uint8)
            for name in ("observation/image", "observation/wrist_image")
        },
        state={"observation/state": np.arange(8, dtype=np.float32)},
        instruction="pick up the cup",
        episode=episode,
        step=step,
        seed=0,
    )


def question():
    one = request()
    return {**one.images, **one.state, "prompt": one.instruction}


def loaded(server, **options):
    return load(OpenpiConfig(checkpoint=server.uri, **options), lambda stage, fraction=None: None)


def test_a_chunk_comes_back_from_the_server():
    with LocalOpenpiServer(metadata={"model": "pi05_libero", "n": 3, "nested": {"a": 1}}) as server:
        policy = loaded(server)
        (chunk,) = policy.infer([request(value=51)])
        policy.close()
    assert chunk.shape == (10, 7)
    assert chunk.dtype == np.float64
    np.testing.assert_allclose(chunk[0], [0.02, 0, -0.1, 0, 0, 0, -1], atol=1e-6)
    assert policy.signature.chunk_length == 10
    assert policy.facts()["metadata"] == {"model": "pi05_libero", "n": 3, "nested": "{'a': 1}"}
    sent = server.observations[-1]
    assert sent["prompt"] == "pick up the cup"
    np.testing.assert_array_equal(sent["observation/state"], np.arange(8, dtype=np.float32))


def test_each_episode_has_a_connection_of_its_own_which_ends_with_it():
    with LocalOpenpiServer() as server:
        policy = loaded(server)
        assert server.connections == 1
        policy.infer([request(episode="a"), request(episode="b")])
        policy.infer([request(episode="a", step=1)])
        assert server.connections == 3
        policy.reset("a")
        policy.infer([request(episode="a")])
        assert server.connections == 4
        policy.close()


def test_a_dropped_socket_is_replaced_and_the_question_asked_again():
    with LocalOpenpiServer() as server:
        policy = loaded(server)
        policy.infer([request()])
        server.drop_next = 1
        (chunk,) = policy.infer([request(step=1)])
        assert chunk.shape == (10, 7)
        server.drop_next = 2
        with pytest.raises(PolicyError, match="closed the connection instead of answering"):
            policy.infer([request(step=2)])
        policy.infer([request(step=3)])
        policy.close()


def test_a_server_that_was_started_again_is_found_again():
    with LocalOpenpiServer() as server:
        policy = loaded(server)
        policy.infer([request()])
    again = LocalOpenpiServer(port=server.port)
    timer = threading.Timer(0.5, again.__enter__)
    timer.start()
    try:
        policy.infer([request(step=1)])
    finally:
        timer.join()
        policy.close()
        again.__exit__()
    assert again.connections == 1


def test_the_servers_error_is_its_last_line_without_keys_and_not_long(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-abcdefgh")
    key = tmp_path / "key"
    key.write_text("the-servers-key\n")

    def failing(observation):
        if observation["prompt"] == "do nothing":
            return libero_policy(observation)
        raise ValueError("sk-abcdefgh the-servers-key \x1b[31m" + "x" * 5000)

    with LocalOpenpiServer(failing, api_key="the-servers-key") as server:
        policy = loaded(server, api_key_file=key)
        with pytest.raises(PolicyError) as error:
            policy.infer([request()])
        policy.close()
    assert "failed: ValueError: $SOME_API_KEY [key] [31mxxx" in error.value.message
    assert len(error.value.message) < 400


def test_a_server_that_answers_no_ping_while_it_thinks_is_waited_for():
    """Minutes against pings every 20 s, in short: a client with the library's keepalive loses such a server."""

    def slow(observation):
        if observation["prompt"] != "do nothing":
            time.sleep(1.5)
        return libero_policy(observation)

    with LocalOpenpiServer(slow, starving=True) as server:
        with connect(server.uri, compression=None, ping_interval=0.2, ping_timeout=0.4) as pinging:
            pinging.recv(5)
            pinging.send(pack(question()))
            with pytest.raises(ConnectionClosed, match="keepalive ping timeout"):
                pinging.recv(10)
        policy = loaded(server)
        before = server.connections
        (chunk,) = policy.infer([request()])
        policy.close()
    assert chunk.shape == (10, 7)
    assert server.connections == before + 1


def test_the_clients_own_keepalive_never_ends_a_question(monkeypatch):
    seen = {}
    from rpent_policy_openpi import client

    real = client.connect

    def connect(*args, **options):
        seen.update(options)
        return real(*args, **options)

    monkeypatch.setattr(client, "connect", connect)
    with LocalOpenpiServer() as server:
        loaded(server).close()
    assert seen["ping_interval"] is None
    assert seen["compression"] is None


def test_no_answer_in_time():
    def slow(observation):
        if observation["prompt"] != "do nothing":
            time.sleep(0.8)
        return libero_policy(observation)

    with LocalOpenpiServer(slow) as server:
        policy = loaded(server, timeout_s=0.2)
        with pytest.raises(PolicyError, match=r"no answer within 0\.2 s"):
            policy.infer([request()])
        policy.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"actions": np.zeros((10, 8), np.float32)}, r"\(10, 8\); \(T, 7\) is wanted"),
        ({"actions": np.zeros(7, np.float32)}, r"float32 \(7,\)"),
        ({"actions": np.zeros((0, 7), np.float32)}, r"\(0, 7\)"),
        ({"actions": [[0] * 7]}, "no array under `actions`"),
        ({"action": np.zeros((10, 7))}, "no array under `actions`"),
    ],
)
def test_an_answer_of_another_shape_is_refused_when_the_policy_is_loaded(answer, words):
    with LocalOpenpiServer(lambda observation: answer) as server:
        with pytest.raises(PolicyError, match=words):
            loaded(server)
        time.sleep(0.1)
        assert server.open == 0


def test_another_chunk_length_later():
    lengths = iter([10, 10, 5])
    with LocalOpenpiServer(lambda each: libero_policy(each, horizon=next(lengths))) as server:
        policy = loaded(server)
        policy.infer([request()])
        with pytest.raises(PolicyError, match=r"\(5, 7\); \(10, 7\) is wanted"):
            policy.infer([request(step=1)])
        policy.close()


def test_a_server_of_another_robot_refuses_the_first_question_with_its_own_words():
    with (
        LocalOpenpiServer() as server,
        pytest.raises(PolicyError, match=r"failed: KeyError: .*exterior_image_1_left"),
    ):
        loaded(server, preset="droid")


def test_nobody_listens():
    with LocalOpenpiServer() as server:
        pass
    with pytest.raises(PolicyError, match="No openpi server can be reached") as error:
        loaded(server, connect_timeout_s=0.3)
    assert error.value.hint


def test_keys(tmp_path):
    key = tmp_path / "key"
    key.write_text("s3cret\n")
    with LocalOpenpiServer(api_key="s3cret") as server:
        with pytest.raises(PolicyError, match="HTTP status 401") as error:
            loaded(server)
        assert "--api-key-file" in error.value.hint
        loaded(server, api_key_file=key).close()
    key.write_text("")
    with pytest.raises(UsageError, match="is empty"):
        loaded(server, api_key_file=key)
    with pytest.raises(UsageError, match="cannot be read"):
        loaded(server, api_key_file=tmp_path / "none")


def test_another_kind_of_server():
    import http.server

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        client = OpenpiClient(f"ws://127.0.0.1:{other.server_port}", connect_timeout_s=1.0)
        with pytest.raises(PolicyError, match="cannot be used as an openpi server"):
            client.connect()
        other.shutdown()


def test_nested_names_and_channels_first():
    seen = []

    def aloha(observation):
        seen.append(observation)
        return {"actions": np.zeros((50, 14))}

    with LocalOpenpiServer(aloha) as server:
        policy = loaded(server, preset="aloha")
        policy.close()
    assert policy.signature.chunk_length == 50
    assert seen[0]["images"]["cam_high"].shape == (3, 224, 224)
    assert seen[0]["state"].shape == (14,)


def test_the_signature_comes_from_the_options_without_a_server():
    libero = signature(OpenpiConfig(checkpoint="10.0.0.5:8000", horizon=50, execute_steps=5))
    assert libero.state == {"observation/state": 8}
    assert libero.action == {"actions": 7}
    assert (libero.chunk_length, libero.execute_steps, libero.layout) == (50, 5, "openpi")
    assert libero.details["server"] == "ws://10.0.0.5:8000"
    own = signature(
        OpenpiConfig(
            checkpoint="wss://host/pi",
            cameras=("top=480x640", "side"),
            state=("arm=6", "hand=1"),
            action_dim=7,
        )
    )
    assert own.cameras["top"].width == 640
    assert own.cameras["side"].height == 224
    assert own.state == {"arm": 6, "hand": 1}
    assert own.layout is None


@pytest.mark.parametrize(
    "text", ["/models/pi0", "tcp://host:5555", "host", "ws://", "host:99999", "http://h:1", "a b:1"]
)
def test_what_is_no_address(text):
    with pytest.raises(PolicyError):
        signature(OpenpiConfig(checkpoint=text))


@pytest.mark.parametrize(
    "options", [{"cameras": ("top=480",)}, {"state": ("arm",)}, {"state": ("arm=0",)}, {"preset": "x"}]
)
def test_malformed_options(options):
    with pytest.raises(ValueError, match=r"OpenpiConfig"):
        OpenpiConfig(checkpoint="h:1", **options)
