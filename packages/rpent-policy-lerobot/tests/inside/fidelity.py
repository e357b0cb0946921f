"""Run inside an environment with LeRobot: our chunks are the actions that LeRobot's own `select_action` gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rpent.policies.api import PolicyRequest
from rpent_policy_lerobot.config import LerobotConfig
from rpent_policy_lerobot.server import sdk
from rpent_policy_lerobot.server.load import load

sdk.prepare()

import torch  # noqa: E402, TID253  (this runs where it is)
from lerobot.configs.policies import PreTrainedConfig  # noqa: E402
from lerobot.policies.factory import get_policy_class, make_pre_post_processors  # noqa: E402
from rpent_policy_lerobot.server.tiny.checkpoint import Sizes, make  # noqa: E402
from rpent_torch.noise import generator, normal  # noqa: E402

CAMERAS = ("observation.images.image", "observation.images.image2")
SIZES = Sizes(cameras=CAMERAS, picture=96, state=8, action=7, chunk=16, execute=8)
SEED = 11
NOISE = {"act": None, "diffusion": (16, 7), "smolvla": (16, 32)}
"""The shape of the noise that a family starts from."""


def question(step: int) -> PolicyRequest:
    random = np.random.default_rng(step)
    return PolicyRequest(
        images={name: random.integers(0, 256, (96, 96, 3), dtype=np.uint8) for name in CAMERAS},
        state={"observation.state": random.normal(size=8).astype(np.float32)},
        instruction="pick up the black bowl",
        episode="one",
        step=step,
        seed=SEED,
    )


def by_lerobot(family: str, folder: Any, requests: list[PolicyRequest], per_question: int) -> np.ndarray:
    """Ask LeRobot as its own evaluation does: an observation and one action a step."""
    config = PreTrainedConfig.from_pretrained(folder)
    config.n_action_steps = per_question
    if family == "smolvla":
        config.vlm_model_name = str(folder / "vlm")
    policy = get_policy_class(family).from_pretrained(folder, config=config)
    tokenizer = (
        {"tokenizer_processor": {"tokenizer_name": str(folder / "tokenizer")}} if family == "smolvla" else {}
    )
    pre, post = make_pre_post_processors(
        config, pretrained_path=str(folder), preprocessor_overrides=tokenizer
    )
    policy.reset()
    shape = NOISE[family]
    noise = {} if shape is None else {"noise": normal([generator(SEED)], shape)}
    actions = []
    for request in requests:
        for _ in range(per_question):
            observation: dict[str, Any] = {
                name: torch.from_numpy(picture).permute(2, 0, 1).float() / 255
                for name, picture in request.images.items()
            }
            observation["observation.state"] = torch.from_numpy(request.state["observation.state"])
            batch = pre({**observation, "task": request.instruction})
            actions.append(post(policy.select_action(batch, **noise))[0].numpy())
    return np.stack(actions)


@pytest.mark.parametrize("family", NOISE)
def test_one_question_is_eight_actions_of_lerobot(family, tmp_path):
    make(family, tmp_path, SIZES)
    policy = load(LerobotConfig(checkpoint=str(tmp_path), device="cpu"), lambda *_: None)
    (chunk,) = policy.infer([question(0)])
    np.testing.assert_allclose(chunk[:8], by_lerobot(family, tmp_path, [question(0)], 8), atol=1e-5)


def test_the_history_of_diffusion_is_lerobots_when_asked_at_every_step(tmp_path):
    make("diffusion", tmp_path, SIZES)
    policy = load(LerobotConfig(checkpoint=str(tmp_path), device="cpu"), lambda *_: None)
    requests = [question(step) for step in range(4)]
    ours = np.stack([policy.infer([request])[0][0] for request in requests])
    np.testing.assert_allclose(ours, by_lerobot("diffusion", tmp_path, requests, 1), atol=1e-5)
