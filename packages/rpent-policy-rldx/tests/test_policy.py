import threading
import time

import numpy as np
import pytest
from rpent.errors import PolicyError, UsageError
from rpent.policies.api import PastFrame, PolicyRequest
from rpent_policy_rldx.config import RldxConfig
from rpent_policy_rldx.policy import load
from rpent_policy_rldx.signature import signature
from rpent_policy_rldx.testing import LIBERO, LocalRldxServer
from rpent_policy_rldx.testing.model import Checkpoint

WITH_VIDEO = Checkpoint(
    video=("front_view",),
    state={"eef_pos_absolute": 3},
    action={"gripper_close": 1},
    video_deltas=(-6, -4, -2, 0),
)


def request(policy, value=100, episode="a", step=0, size=64, *, history=None):
    return PolicyRequest(
        **shown(policy, value, size),
        history=None if history is None else frames(policy, history),
        instruction="pick up the cup",
        episode=episode,
        step=step,
        seed=0,
    )


def shown(policy, value, size=64):
    return {
        "images": {name: np.full((size, size, 3), value, np.uint8) for name in policy.signature.cameras},
        "state": {
            name: np.full(length, value, np.float32) for name, length in policy.signature.state.items()
        },
    }


def frames(policy, values):
    return tuple(PastFrame(step=step, **shown(policy, value)) for step, value in values.items())


def loaded(server, **options):
    return load(RldxConfig(checkpoint=server.uri, **options), lambda stage, fraction=None: None)


def test_what_is_asked_and_answered_is_what_the_servers_checks_want():
    with LocalRldxServer() as server:
        policy = loaded(server)
        (chunk,) = policy.infer([request(policy)])
        policy.close()
    assert policy.signature.state == {"eef_pos_absolute": 3, "eef_rot_absolute": 3, "gripper_close": 2}
    assert policy.signature.action == {"eef_pos_delta": 3, "eef_rot_delta": 3, "gripper_close": 1}
    assert chunk.shape == (16, 7)
    assert chunk.dtype == np.float64
    assert chunk[:, 6].min() > 0.1, "the parts stand in the order of the modality"
    (observation,) = server.model.observations
    assert observation["video"]["front_view"].shape == (1, 1, 64, 64, 3)
    assert observation["state"]["gripper_close"].dtype == np.float32
    assert observation["language"] == {"annotation.human.action.task_description": [["pick up the cup"]]}


def test_the_servers_own_checks_are_strict():
    """So that the tests here say something: what the real one refuses is refused."""
    with LocalRldxServer() as server:
        policy = loaded(server)
        good = policy._observation([request(policy)], [policy._session(request(policy))])
        state = good["state"]["eef_pos_absolute"]
        for change, words in (
            ({"state": good["state"] | {"eef_pos_absolute": state.astype(np.float64)}}, "np.float32"),
            ({"state": good["state"] | {"eef_pos_absolute": state * np.nan}}, "Non-finite"),
            ({"state": good["state"] | {"eef_pos_absolute": state[..., :2]}}, r"\(1, 1, 3\)"),
            (
                {"video": good["video"] | {"front_view": good["video"]["front_view"][:, [0, 0]]}},
                "expected T=1",
            ),
            ({"language": {"annotation.human.action.task_description": ["a"]}}, "must be a list"),
        ):
            with pytest.raises(PolicyError, match=words):
                policy._client.get_action(good | change, {}, timeout_s=5)
        policy.close()


def test_episodes_have_sessions_of_their_own_and_only_ours_are_reset():
    with LocalRldxServer() as server:
        policy = loaded(server)
        server.model.memory["somebody else's"] = 3
        policy.infer([request(policy, episode="a"), request(policy, episode="b")])
        policy.infer([request(policy, episode="a", step=1)])
        first, second = server.model.options
        assert len(set(first["session_ids"])) == 2
        assert first["reset_memory"] == [True, True]
        assert second == {"session_ids": first["session_ids"][:1], "reset_memory": [False]}
        policy.reset("a")
        policy.reset("never seen")
        assert server.model.cleared == [first["session_ids"][:1]]
        policy.infer([request(policy, episode="a")])
        third = server.model.options[-1]
        assert third["reset_memory"] == [True]
        assert third["session_ids"] not in (first["session_ids"][:1], first["session_ids"][1:])
        policy.close()
        assert server.model.cleared[-1] == [first["session_ids"][1], third["session_ids"][0]]
        assert dict(server.model.memory) == {"somebody else's": 3}


def test_the_same_episode_twice_in_a_batch_and_pictures_of_other_sizes_are_asked_one_after_the_other():
    with LocalRldxServer() as server:
        policy = loaded(server)
        chunks = policy.infer(
            [
                request(policy, episode="a"),
                request(policy, episode="a", step=1),
                request(policy, episode="b", size=32),
            ]
        )
        policy.close()
    assert len(chunks) == 3
    assert [len(each["session_ids"]) for each in server.model.options] == [1, 1, 1]


def test_a_video_is_oldest_first_and_begins_with_the_first_frame():
    with LocalRldxServer(WITH_VIDEO) as server:
        policy = loaded(server, execute_steps=2)
        for step in range(5):
            policy.infer([request(policy, value=10 + step, step=step)])
        policy.reset("a")
        policy.infer([request(policy, value=99)])
        policy.close()
    seen = [each["video"]["front_view"][0, :, 0, 0, 0].tolist() for each in server.model.observations]
    assert seen == [
        [10, 10, 10, 10],
        [10, 10, 10, 11],
        [10, 10, 11, 12],
        [10, 11, 12, 13],
        [11, 12, 13, 14],
        [99, 99, 99, 99],
    ]
    assert policy.signature.observation_steps == 4


def test_a_question_that_tells_what_was_before_needs_no_memory():
    with LocalRldxServer(WITH_VIDEO) as server:
        policy = loaded(server)
        assert policy.signature.history == (-6, -4, -2)
        for told in ({}, {-6: 6, -4: 4, -2: 2}, {-3: 3, -2: 2}, {-8: 8}, None):
            policy.infer([request(policy, value=100, history=told)])
        policy.close()
    seen = [each["video"]["front_view"][0, :, 0, 0, 0].tolist() for each in server.model.observations]
    assert seen[:4] == [
        [100, 100, 100, 100],
        [6, 4, 2, 100],
        [3, 3, 2, 100],
        [8, 8, 100, 100],
    ]


def test_state_of_before_goes_the_same_way():
    checkpoint = Checkpoint(
        video=("front_view",),
        state={"eef_pos_absolute": 3},
        action={"gripper_close": 1},
        video_deltas=(-4, 0),
        state_deltas=(-1, 0),
    )
    with LocalRldxServer(checkpoint) as server:
        policy = loaded(server)
        assert policy.signature.history == (-4, -1)
        policy.infer([request(policy, value=100, history={-4: 4, -1: 1})])
        policy.close()
    (observation,) = server.model.observations
    assert observation["video"]["front_view"][0, :, 0, 0, 0].tolist() == [4, 100]
    assert observation["state"]["eef_pos_absolute"][0, :, 0].tolist() == [1.0, 100.0]


def test_an_error_reply_is_one_bounded_line_without_keys(tmp_path):
    token = tmp_path / "token"
    token.write_text("the-servers-token\n")
    with LocalRldxServer(api_token="the-servers-token") as server:
        policy = loaded(server, api_token_file=token)
        server.replace_answer = {"error": "boom the-servers-token \x1b[31m\n" + "x" * 5000}
        with pytest.raises(PolicyError) as error:
            policy.infer([request(policy)])
        assert "failed: boom [key] [31m xxx" in error.value.message
        assert len(error.value.message) < 400
        server.replace_answer = None
        assert policy.infer([request(policy)])[0].shape == (16, 7)
        policy.close()
        with pytest.raises(PolicyError, match="Unauthorized"):
            loaded(server)
    token.write_text("")
    with pytest.raises(UsageError, match="is empty"):
        loaded(server, api_token_file=token)


@pytest.mark.parametrize(
    "answer",
    [
        {"actions": 1},
        [{}, {}],
        [{name: np.zeros((1, 16, n)) for name, n in (("eef_pos_delta", 3), ("eef_rot_delta", 4))}, {}],
        [{name: np.zeros((2, 16, n), np.float32) for name, n in LIBERO.action.items()}, {}],
        [{name: np.zeros((1, 8, n), np.float32) for name, n in LIBERO.action.items()}, {}],
        "ok",
    ],
)
def test_a_wrong_answer_is_refused(answer):
    with LocalRldxServer() as server:
        policy = loaded(server)
        server.replace_answer = answer
        with pytest.raises(PolicyError, match="answered with"):
            policy.infer([request(policy)])
        policy.close()


def test_no_answer_in_time_and_then_a_fresh_socket():
    with LocalRldxServer() as server:
        policy = loaded(server, timeout_s=0.2)
        server.answer_after_s = 0.6
        with pytest.raises(PolicyError, match="no answer within"):
            policy.infer([request(policy)])
        server.answer_after_s = 0.0
        time.sleep(0.6)
        assert policy.infer([request(policy)])[0].shape == (16, 7)
        policy.close()


def test_a_server_that_ends_instead_of_answering_is_noticed_at_once_and_its_successor_found():
    with LocalRldxServer() as server:
        policy = loaded(server, timeout_s=30.0)
        policy.infer([request(policy)])
        server.ends_at_next = True
        started = time.monotonic()
        with pytest.raises(PolicyError, match="ended instead of answering"):
            policy.infer([request(policy, step=1)])
        assert time.monotonic() - started < 20, "it waited for the answer of a server that was gone"
    successor = LocalRldxServer(port=server.port)
    timer = threading.Timer(0.4, successor.__enter__)
    timer.start()
    try:
        assert policy.infer([request(policy, step=2)])[0].shape == (16, 7)
    finally:
        timer.join()
        policy.close()
        successor.__exit__()


def test_a_server_that_was_replaced_between_two_questions():
    with LocalRldxServer() as server:
        policy = loaded(server)
        policy.infer([request(policy)])
    with LocalRldxServer(port=server.port):
        time.sleep(0.3)
        assert policy.infer([request(policy, step=1)])[0].shape == (16, 7)
        policy.close()


def test_nobody_listens():
    with LocalRldxServer() as server:
        pass
    with pytest.raises(PolicyError, match="No RLDX server can be reached") as error:
        signature(RldxConfig(checkpoint=server.uri, connect_timeout_s=0.2))
    assert "run_rldx_server" in error.value.hint


def test_somebody_else_listens():
    import http.server

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(PolicyError):
            signature(RldxConfig(checkpoint=f"tcp://127.0.0.1:{other.server_port}", connect_timeout_s=0.5))
        other.shutdown()


def test_lengths_that_nobody_knows_are_asked_for():
    other = Checkpoint(video=("top",), state={"left_arm": 6}, action={"left_arm": 6, "base": 2})
    with LocalRldxServer(other) as server:
        with pytest.raises(PolicyError, match="length of `left_arm` is not known") as error:
            loaded(server)
        assert "--state left_arm=LENGTH" in error.value.hint
        policy = loaded(server, state=("left_arm=6",), action=("left_arm=6", "base=2"))
        assert policy.infer([request(policy)])[0].shape == (16, 8)
        policy.close()


@pytest.mark.parametrize(
    "text", ["tcp://host", "ws://h:1", "tcp://h:99999", "/no/such/folder", "tcp://h:1/x", "127.0.0.1:5555"]
)
def test_what_is_neither_an_address_nor_a_folder(text):
    with pytest.raises(PolicyError, match="address"):
        signature(RldxConfig(checkpoint=text))
