"""A perceptor with a server of its own that fails as the prompt says: `crash`, `hang`, `error`."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
from pydantic import BaseModel
from rpent.errors import PolicyError
from rpent.perception import Segment
from rpent.rpc.facade import Facade, Method


class Config(BaseModel):
    """It has no options."""


class Perceptor:
    def __init__(self, context) -> None:
        self._channel = context.channels["perception"]

    def segment(self, observation, camera, *, prompt=None, point=None, min_score=0.2, max_candidates=8):
        box = self._channel.call("segment", prompt=prompt)
        shape = observation.images[camera].shape[:2]
        return [Segment(label=prompt, score=1.0, mask=np.ones(shape, bool), box=tuple(box))]


def segment(call, prompt):
    if prompt == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if prompt == "hang":
        threading.Event().wait()
    if prompt == "error":
        raise PolicyError("The model ran out of memory.")
    return [0, 0, 1, 1]


def create(config):
    return Facade(
        name="test/perception", version="1.0", methods={"segment": Method(handler=segment, timeout_s=1.0)}
    )
