"""From a configuration to a policy that has answered once: what happens before the server listens."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpent.config import build_config
from rpent.errors import PolicyError, RpentError
from rpent.policies.adapter import Adapter
from rpent.policies.api import PolicyRequest
from rpent.policies.asking import Asker
from rpent.policies.chosen import check_execute_steps
from rpent.policies.embodiment import Embodiment
from rpent.policies.fit import fit, refusal
from rpent.rpc.loading import say_loading
from rpent.specs import load_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.policies.api import Policy, PolicyConfig
    from rpent.policies.embodiment import Layout
    from rpent.policies.server import PolicyServerConfig

WARM_UP = "rpent-warm-up"
"""The episode of the made-up request."""
PICTURE_SIZE = 224
"""Pixels of a made-up picture where the checkpoint wants no certain size."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A policy that works, beside the robot that it drives."""

    backend: str
    config: PolicyConfig
    policy: Policy
    embodiment: Embodiment | None
    layout: Layout | None
    adapter: Adapter | None
    chunk_length: int
    """Actions in one answer, as it really answered."""
    load_s: float
    warm_up_s: float
    """How long the made-up request took."""


def load(config: PolicyServerConfig) -> Loaded:
    """Load the checkpoint, put it beside the robot, and let it answer a made-up request.

    Raises:
        PolicyError: The checkpoint cannot be used, does not fit the robot, or does not answer.
        UsageError: A value of the configuration is not accepted.
    """
    started = time.monotonic()
    options = build_config(
        load_object(config.config_model), config.config, what=f"policy backend `{config.backend}`"
    )
    say_loading(f"{config.backend} {options.checkpoint}")
    policy = _load_policy(config, options)
    try:
        embodiment, layout = _robot(config, policy)
        adapter = None
        if embodiment is not None and layout is not None:
            adapter = Adapter(policy.signature, embodiment, layout)
        loaded_s = time.monotonic() - started
        say_loading("a first answer")
        length = _warm_up(policy, adapter, backend=config.backend)
        check_execute_steps(options, length)
    except BaseException:
        policy.close()
        raise
    return Loaded(
        backend=config.backend,
        config=options,
        policy=policy,
        embodiment=embodiment,
        layout=layout,
        adapter=adapter,
        chunk_length=length,
        load_s=loaded_s,
        warm_up_s=time.monotonic() - started - loaded_s,
    )


def _load_policy(config: PolicyServerConfig, options: PolicyConfig) -> Policy:
    try:
        policy: Policy = load_object(config.policy)(options, say_loading)
    except RpentError:
        raise
    except ModuleNotFoundError as error:
        raise PolicyError(
            f"The policy backend `{config.backend}` needs the module `{error.name}`, which this interpreter lacks.",
            hint="Build its environment with `rpent env sync`, or give an interpreter with `--env-python`.",
        ) from error
    return policy


def _robot(config: PolicyServerConfig, policy: Policy) -> tuple[Embodiment | None, Layout | None]:
    if config.embodiment is None:
        return None, None
    found = fit(policy.signature, Embodiment.model_validate(config.embodiment), config.layout)
    if not found.ok:
        raise refusal(found)
    return found.embodiment, found.layout


def _warm_up(policy: Policy, adapter: Adapter | None, *, backend: str) -> int:
    """Return the length of the chunk."""
    sizes = {} if adapter is None else adapter.picture_sizes()
    answer = Asker(policy, backend=backend, limit=1).ask([made_up_request(policy, sizes)])[0]
    policy.reset(WARM_UP)
    if isinstance(answer, RpentError):
        raise PolicyError(f"It cannot answer a made-up request: {answer.message}", hint=answer.hint)
    return int(answer.shape[0])


def made_up_request(policy: Policy, sizes: Mapping[str, tuple[int, int]] | None = None) -> PolicyRequest:
    """Return a request of the policy's own shapes: grey pictures, zeros, an instruction.

    Args:
        policy: Who is asked.
        sizes: Height and width of the pictures that it will really get, where there is a robot.
    """
    signature = policy.signature
    own = {
        name: (view.height or PICTURE_SIZE, view.width or PICTURE_SIZE)
        for name, view in signature.cameras.items()
    }
    return PolicyRequest(
        images={name: np.full((*(sizes or own)[name], 3), 127, np.uint8) for name in signature.cameras},
        state={name: np.zeros(length, np.float32) for name, length in signature.state.items()},
        instruction="pick up the cup",
        episode=WARM_UP,
        step=0,
        seed=0,
    )
