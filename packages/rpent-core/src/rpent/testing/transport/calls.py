"""A call runs at most once and on the right thread; result, progress and cancel find their way."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rpent.cancel import CancelToken
from rpent.errors import CallTimeoutError, CancelledCallError, RemoteError
from rpent.rpc.channel import RpcChannel  # noqa: TC001  (pytest reads annotations of fixtures)
from rpent.rpc.codec import encode
from rpent.rpc.messages import Request, request_frames
from rpent.testing.transport.base import Background, Running, TransportCase, raw_connection

if TYPE_CHECKING:
    from collections.abc import Callable


class CallsContract(TransportCase):
    """At most once, cancel, progress, order, threads."""

    def test_handlers_run_on_the_thread_that_runs_the_server(
        self, running: Running, channel: RpcChannel
    ) -> None:
        """A GL context belongs to one thread."""
        for _ in range(3):
            channel.call("echo", value=1)
        assert running.service.threads == {running.thread.ident}

    def test_a_call_that_timed_out_is_executed_once_and_its_result_is_kept(self, channel: RpcChannel) -> None:
        """The client may ask for it, more than once."""
        with pytest.raises(CallTimeoutError) as late:
            channel.call("hold", timeout_s=0.2)
        with pytest.raises(CallTimeoutError):
            channel.result(late.value.request_id, timeout_s=0.1)
        channel.call("release")
        assert channel.result(late.value.request_id, timeout_s=20) == 1
        assert channel.result(late.value.request_id, timeout_s=20) == 1
        assert channel.call("add", amount=0) == 1

    def test_a_request_that_is_sent_twice_is_executed_once(self, channel: RpcChannel) -> None:
        """As after a connection that broke between the request and the reply."""
        request = Request(kind="call", id="the-same", token=channel._token, method="add")
        for _ in range(2):
            connection = raw_connection(channel)
            connection.send(request_frames(request, encode({})), 20)
            connection.close()
        assert channel.result("the-same", timeout_s=20) == 1
        assert channel.call("add", amount=0) == 1

    def test_the_result_of_an_unknown_request_is_an_error(self, channel: RpcChannel) -> None:
        """Never a wait."""
        with pytest.raises(RemoteError) as refused:
            channel.result("never-sent", timeout_s=20)
        assert refused.value.kind == "UnknownRequestError"

    def test_the_server_answers_a_ping_while_a_handler_runs(self, channel: RpcChannel) -> None:
        """Control messages do not wait for the worker."""
        assert channel.ping()["running"] == ""
        holding = Background(channel, "hold")
        assert channel.ping()["running"] == "hold"
        channel.call("release")
        assert holding.join().value == 1

    def test_cancel_reaches_a_running_handler(self, channel: RpcChannel) -> None:
        """A control loop that looks at its token ends."""
        moving = Background(channel, "move")
        moving.cancel.cancel()
        assert isinstance(moving.join().error, CancelledCallError)
        assert channel.call("echo", value=1) == 1

    def test_a_handler_may_end_a_cancelled_call_with_a_result(self, channel: RpcChannel) -> None:
        """Such as a motion that says how far it came."""
        holding = Background(channel, "hold")
        holding.cancel.cancel()
        assert holding.join().value == 1

    def test_a_waiting_call_that_is_cancelled_never_runs(self, channel: RpcChannel) -> None:
        """It ends at once, although the worker is busy."""
        holding = Background(channel, "hold")
        cancel = CancelToken()
        timer = threading.Timer(0.1, cancel.cancel)
        timer.start()
        with pytest.raises(CancelledCallError):
            channel.call("add", cancel=cancel, timeout_s=20)
        timer.join()
        channel.call("release")
        holding.join()
        assert channel.call("add", amount=0) == 1

    def test_a_token_that_is_set_already_sends_nothing(self, channel: RpcChannel) -> None:
        """The call does not take place."""
        cancel = CancelToken()
        cancel.cancel()
        with pytest.raises(CancelledCallError):
            channel.call("add", cancel=cancel)
        assert channel.call("add", amount=0) == 0

    def test_progress_arrives_in_order_before_the_result(self, channel: RpcChannel) -> None:
        """All of it, arrays too."""
        seen: list[int] = []

        def watch(value: dict[str, object]) -> None:
            frame = value["frame"]
            assert isinstance(frame, np.ndarray)
            assert (frame == value["index"]).all()
            seen.append(frame[0, 0])

        assert channel.call("count_up", number=50, on_progress=watch) == 50
        assert seen == list(range(50))
        assert channel.call("count_up", number=50) == 50

    def test_an_error_in_the_progress_callback_cancels_the_call(self, channel: RpcChannel) -> None:
        """The error is the caller's own and reaches it."""

        def fail(_value: object) -> None:
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            channel.call("move", on_progress=fail)
        assert channel.call("echo", value=1, timeout_s=20) == 1

    def test_calls_of_many_clients_do_not_mix(self, running: Running) -> None:
        """Several channels and several threads on each."""
        channels = [self.connect(running.endpoint) for _ in range(3)]

        def work(number: int) -> bool:
            value = np.full(2000, number)
            return all(
                (channels[number % 3].call("echo", value=value + n) == number + n).all() for n in range(10)
            )

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(work, range(6)))
        for channel in channels:
            channel.close()

    def test_promises_hold_no_thread(self, running: Running, channel: RpcChannel) -> None:
        """More calls wait for futures than there are threads, and others are answered meanwhile."""
        waiting = [Background(channel, "promise", value=number) for number in range(30)]
        assert channel.call("echo", value=1, timeout_s=20) == 1
        assert channel.call("keep_promises", timeout_s=20) == 30
        assert [call.join().value for call in waiting] == list(range(30))
        assert running.service.promises == []

    def test_a_promise_may_fail_or_be_cancelled(self, channel: RpcChannel) -> None:
        """Its error is the call's, and a cancel ends it at once."""
        failing, cancelled = (
            Background(channel, "promise", value=None),
            Background(channel, "promise", value=1),
        )
        cancelled.cancel.cancel()
        assert isinstance(cancelled.join().error, CancelledCallError)
        channel.call("keep_promises")
        error = failing.join().error
        assert isinstance(error, RemoteError)
        assert error.message == "Nothing can be promised."

    def test_calls_of_all_kinds_go_on_beside_each_other(self, running: Running) -> None:
        """Nothing that one of them does leaves another one's message lying."""
        channel, other = self.connect(running.endpoint), self.connect(running.endpoint)

        def count() -> bool:
            seen: list[int] = []
            channel.call("count_up", number=10, on_progress=lambda value: seen.append(value["index"]))
            return seen == list(range(10))

        def cancel() -> bool:
            moving = Background(other, "move")
            moving.cancel.cancel()
            return isinstance(moving.join().error, CancelledCallError)

        kinds: list[Callable[[], bool]] = [
            count,
            cancel,
            lambda: channel.call("echo", value=np.ones(50_000)).all(),
            lambda: "running" in other.ping(20),
            lambda: other.call("release") is None,
        ]
        with ThreadPoolExecutor(len(kinds)) as pool:
            assert all(pool.map(lambda kind: all(kind() for _ in range(10)), kinds))
        channel.close()
        other.close()
