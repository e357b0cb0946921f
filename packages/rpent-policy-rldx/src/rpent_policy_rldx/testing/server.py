"""A ZeroMQ server like `run_rldx_server`."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import zmq

from rpent_policy_rldx.testing.model import LIBERO, ROBOCASA, FakeModel
from rpent_policy_rldx.wire import pack, unpack

if TYPE_CHECKING:
    from rpent_policy_rldx.testing.model import Checkpoint

__all__ = ["LIBERO", "ROBOCASA", "FakeModel", "LocalRldxServer", "serve"]

_SLICE_MS = 50


class LocalRldxServer:
    """Runs in a thread, from `with` to its end, on a free port of loopback.

    Args:
        checkpoint: What its model takes and gives.
        api_token: Wanted with each request.
    """

    def __init__(
        self, checkpoint: Checkpoint = LIBERO, *, api_token: str | None = None, port: int = 0
    ) -> None:
        self.model = FakeModel(checkpoint)
        self.port = port
        self.answer_after_s = 0.0
        """How long the next answers take."""
        self.replace_answer: Any = None
        """What `get_action` answers instead of the model's."""
        self.ends_at_next = False
        """Whether it ends with the next question, without an answer."""
        self._token = api_token
        self._ended = threading.Event()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="local-rldx")

    @property
    def uri(self) -> str:
        """Where it listens."""
        return f"tcp://127.0.0.1:{self.port}"

    def __enter__(self) -> LocalRldxServer:
        self._thread.start()
        if not self._listening.wait(10):
            raise RuntimeError("The local RLDX server does not listen.")
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(10)

    def _run(self) -> None:
        with zmq.Context() as context, context.socket(zmq.REP) as line:
            line.setsockopt(zmq.LINGER, 0)
            line.bind(f"tcp://127.0.0.1:{self.port or '*'}")
            self.port = int(line.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2])
            self._listening.set()
            while not self._ended.is_set():
                if not line.poll(_SLICE_MS):
                    continue
                message = line.recv()
                if self.ends_at_next:
                    return
                self._ended.wait(self.answer_after_s)
                line.send(answer(self.model, message, token=self._token, instead=self.replace_answer))


def answer(model: FakeModel, message: bytes, *, token: str | None = None, instead: Any = None) -> bytes:
    """Return the reply to one request, errors included."""
    try:
        request = unpack(message)
        if token is not None and request.get("api_token") != token:
            return pack({"error": "Unauthorized: Invalid API token"})
        endpoint, data = request.get("endpoint", "get_action"), request.get("data", {})
        if endpoint == "ping":
            return pack({"status": "ok", "message": "Server is running"})
        if endpoint == "get_modality_config":
            return pack(model.get_modality_config())
        if endpoint == "reset":
            return pack(model.reset(**data))
        if endpoint == "get_action":
            result = model.get_action(**data)
            return pack(result if instead is None else instead)
        raise ValueError(f"Unknown endpoint: {endpoint}")
    except Exception as error:  # noqa: BLE001 (the real one answers with whatever happened)
        return pack({"error": str(error)})


def serve(model: FakeModel, host: str, port: int) -> None:
    """Serve in this thread until the process ends, as the real command does."""
    with zmq.Context() as context, context.socket(zmq.REP) as line:
        line.bind(f"tcp://{host}:{port}")
        print(f"Server is ready and listening on tcp://{host}:{port}", flush=True)  # noqa: T201
        while True:
            line.send(answer(model, line.recv()))
            time.sleep(0)
