"""What goes wrong is one readable sentence, and hurts nobody but the one who did it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rpent.errors import ConnectionLostError, FrameError, HandshakeError, RemoteError, TransportError
from rpent.rpc.api import Expectation
from rpent.rpc.channel import RpcChannel  # noqa: TC001  (pytest reads annotations of fixtures)
from rpent.rpc.codec import Limits, encode
from rpent.rpc.messages import Request, parse_reply, request_frames
from rpent.testing.transport.base import Background, Running, TransportCase, raw_connection
from rpent.testing.transport.service import NAME, SCHEMA, VERSION

if TYPE_CHECKING:
    from pathlib import Path

_DEEP = b"\x91" * 3000 + b"\xc0"
_WIDE = b"\xdd\xff\xff\xff\xff"
_LYING_ARRAY = encode(np.zeros(4000))[:1]


def _is_sentence(error: TransportError) -> bool:
    text = error.message
    return text.endswith(".") and "\n" not in text and "Traceback" not in text and len(text) < 400


class FailuresContract(TransportCase):
    """Handshake, refusals, hostile frames, servers that go."""

    def test_the_handshake_says_who_answers(self, channel: RpcChannel) -> None:
        """Name, version, schema, methods, info."""
        info = channel.info
        assert (info.name, info.version, info.schema) == (NAME, VERSION, SCHEMA)
        assert info.info == {"task": "contract", "cameras": ["front"]}
        assert info.methods["release"].concurrent
        assert not info.methods["echo"].concurrent

    def test_another_token_is_refused(self, running: Running, channel: RpcChannel) -> None:
        """And a channel with the right one goes on."""
        for token in ("another-token-0123456789abcdef", "contract-token-0123456789abcde"):
            with pytest.raises(HandshakeError) as refused:
                self.connect(running.endpoint, token=token)
            assert _is_sentence(refused.value)
        assert channel.call("echo", value=1) == 1

    @pytest.mark.parametrize(
        ("expected", "said"),
        [
            (Expectation(name="another/env"), "another/env"),
            (Expectation(schema=SCHEMA + 1), f"schema {SCHEMA + 1}"),
            (Expectation(version="1.3.0"), "1.3.0"),
            (Expectation(version="2.2.3"), "2.2.3"),
        ],
    )
    def test_another_service_is_refused(self, channel: RpcChannel, expected: Expectation, said: str) -> None:
        """In one sentence that names both sides."""
        with pytest.raises(HandshakeError, match=said) as refused:
            expected.check(channel.info, channel.endpoint)
        assert _is_sentence(refused.value)

    def test_the_expected_service_is_accepted(self, channel: RpcChannel) -> None:
        """Another patch version is no other service."""
        Expectation(name=NAME, schema=SCHEMA, version="1.2.99").check(channel.info, channel.endpoint)

    def test_an_unknown_method_is_an_error_that_names_a_near_one(self, channel: RpcChannel) -> None:
        """Attributes of the service are no methods."""
        with pytest.raises(RemoteError, match="`ecco`") as refused:
            channel.call("ecco", value=1)
        assert refused.value.hint == "Did you mean `echo`?"
        for name in ("__init__", "facade", "count", "echo.__call__", ""):
            with pytest.raises(RemoteError) as refused:
                channel.call(name)
            assert refused.value.kind == "UnknownMethodError"

    @pytest.mark.parametrize("params", [{}, {"value": 1, "other": 2}, {"valeu": 1}])
    def test_wrong_parameters_are_an_error_that_names_the_right_ones(
        self, channel: RpcChannel, params: dict[str, Any]
    ) -> None:
        """The handler does not see them."""
        with pytest.raises(RemoteError, match="its parameters are: `value`") as refused:
            channel.call("echo", **params)
        assert refused.value.kind == "ParameterError"

    def test_errors_of_handlers_arrive(self, channel: RpcChannel) -> None:
        """Expected ones with their hint, bugs with their name, none with a traceback."""
        with pytest.raises(RemoteError, match=r"The drawer is locked\.") as refused:
            channel.call("refuse")
        assert (refused.value.kind, refused.value.hint) == ("ToolError", "Find the key.")
        with pytest.raises(RemoteError, match="ZeroDivisionError: one over nothing") as broken:
            channel.call("break_down")
        assert broken.value.kind == "ZeroDivisionError"
        assert "Traceback" not in broken.value.message

    def test_a_result_that_cannot_be_sent_is_an_error_of_that_call(self, channel: RpcChannel) -> None:
        """The next call works."""
        with pytest.raises(RemoteError, match="`object`"):
            channel.call("give_object")
        assert channel.call("echo", value=1) == 1

    def test_messages_are_bounded_in_both_directions(self, tmp_path: Path) -> None:
        """What is too large is refused, and the next call works."""
        with self.serving(self.endpoint(tmp_path), limits=Limits(message_bytes=200_000)) as running:
            channel = self.connect(running.endpoint)
            with pytest.raises((RemoteError, FrameError, ConnectionLostError)):
                channel.call("echo", value=np.zeros(400_000, np.uint8))
            assert channel.call("echo", value=1) == 1
            with pytest.raises(RemoteError, match="at most 200000 are accepted"):
                channel.call("zeros", size=400_000)
            assert channel.call("echo", value=1) == 1
            channel.close()

    @pytest.mark.parametrize(
        "frames",
        [
            [b"junk"],
            [b""],
            [b"\xc1"],
            [b"x" * 10_000],
            [_DEEP],
            [_WIDE],
            [b"\x97\x63\xa4call\xa1i\xa0\xa1m\xa0\xc2"],
            [b"\x97\x01\xa4evil\xa1i\xa0\xa1m\xa0\xc2"],
            [b"\x97\x01\xa4call\x01\x02\x03\x04\xc2"],
            [b"a"] * 3000,
        ],
        ids=[
            "text", "empty", "invalid", "long", "deep", "wide", "protocol", "kind", "types", "many",
        ],
    )  # fmt: skip
    def test_a_malformed_message_hurts_only_its_sender(
        self, channel: RpcChannel, frames: list[bytes]
    ) -> None:
        """The answer, if there is one, is an error."""
        hostile = raw_connection(channel)
        try:
            hostile.send(frames, 20)
            answer = hostile.receive(1.0)
            assert answer is None or parse_reply(answer)[0].kind == "error"
        except TransportError as error:
            assert _is_sentence(error)  # noqa: PT017  (an answer is as good as a refusal)
        finally:
            hostile.close()
        assert channel.call("echo", value=1) == 1

    @pytest.mark.parametrize(
        "payload",
        [
            [],
            [b"\xc1"],
            [_DEEP],
            [_WIDE],
            _LYING_ARRAY,
            [b"\xc7\x00\x05"],
            [b"\x01"],
            [b"\x81\x01\x02"],
            [b"\xd6\xff\0\0\0\0"],
        ],
        ids=[
            "none",
            "invalid",
            "deep",
            "wide",
            "missing_frame",
            "extension",
            "number",
            "number_key",
            "timestamp",
        ],
    )
    def test_malformed_parameters_are_an_error_of_that_call(
        self, channel: RpcChannel, payload: list[bytes]
    ) -> None:
        """It has an id, so it gets an answer."""
        hostile = raw_connection(channel)
        request = Request(kind="call", id="bad", token=channel._token, method="echo")
        hostile.send(request_frames(request, payload), 20)
        answer = hostile.receive(20.0)
        while answer is not None and parse_reply(answer)[0].kind == "waiting":
            answer = hostile.receive(20.0)
        hostile.close()
        assert answer is not None
        reply, _ = parse_reply(answer)
        assert (reply.kind, reply.id) == ("error", "bad")
        assert channel.call("echo", value=1) == 1

    def test_nobody_listens(self, tmp_path: Path) -> None:
        """An error at once, not a timeout."""
        with self.serving(self.endpoint(tmp_path)) as running:
            pass
        with pytest.raises(ConnectionLostError) as lost:
            self.connect(running.endpoint)
        assert _is_sentence(lost.value)

    def test_an_endpoint_that_is_taken_is_refused(self, running: Running, channel: RpcChannel) -> None:
        """The server that has it goes on."""
        with (
            pytest.raises(TransportError, match="in use") as taken,
            self.serving(running.endpoint),
        ):
            pass
        assert _is_sentence(taken.value)
        assert channel.call("echo", value=1) == 1

    def test_a_server_that_shuts_down_ends_its_calls_and_closes_its_facade_once(self, tmp_path: Path) -> None:
        """Whoever calls afterwards learns that it is gone."""
        with self.serving(self.endpoint(tmp_path)) as running:
            channel = self.connect(running.endpoint)
            moving = Background(channel, "move")
            running.stop()
            assert isinstance(moving.join().error, TransportError)
            assert running.service.closed == 1
            with pytest.raises(ConnectionLostError) as lost:
                channel.call("echo", value=1)
            assert _is_sentence(lost.value)
            channel.close()
        assert running.service.closed == 1

    def test_a_server_that_was_restarted_is_noticed_once(self, tmp_path: Path) -> None:
        """Its state is another, so the first call is refused; then the channel goes on."""
        with self.serving(self.endpoint(tmp_path)) as first:
            channel = self.connect(first.endpoint)
            assert channel.call("add") == 1
        with self.serving(first.endpoint):
            with pytest.raises(ConnectionLostError, match="restarted"):
                channel.call("add")
            assert channel.call("add") == 1
        channel.close()

    def test_a_server_that_is_killed_ends_the_call_under_way(self, tmp_path: Path) -> None:
        """Long before the call's time is over."""
        if not self.crosses_processes:
            pytest.skip("This transport stays in one process.")
        with self.serving_process(self.endpoint(tmp_path)) as (process, endpoint):
            channel = self.connect(endpoint)
            assert channel.call("process_id") == process.pid
            moving = Background(channel, "move")
            process.kill()
            assert isinstance(moving.join().error, ConnectionLostError)
            with pytest.raises(ConnectionLostError):
                channel.call("echo", value=1)
            channel.close()

    def test_a_signal_handler_may_shut_the_server_down(self, tmp_path: Path) -> None:
        """Idle or busy, it ends as it should."""
        if not self.crosses_processes:
            pytest.skip("This transport stays in one process.")
        for busy in (False, True):
            with self.serving_process(self.endpoint(tmp_path)) as (process, endpoint):
                channel = self.connect(endpoint)
                moving = Background(channel, "move") if busy else None
                process.terminate()
                assert process.wait(20) == 0
                assert moving is None or isinstance(moving.join().error, TransportError)
                channel.close()

    def test_neither_side_keeps_an_interpreter_alive(self, tmp_path: Path) -> None:
        """A process ends although nobody closed anything and handlers hang."""
        done = self.abandoning_process(self.endpoint(tmp_path))
        assert (done.returncode, done.stdout) == (0, "abandoned\n"), done.stderr

    def test_a_closed_channel_refuses_calls(self, channel: RpcChannel) -> None:
        """Closing twice is fine."""
        channel.close()
        channel.close()
        with pytest.raises(ConnectionLostError, match="closed"):
            channel.call("echo", value=1)
