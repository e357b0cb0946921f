"""Makes, with LeRobot's own classes: a v3.0 dataset, an ACT checkpoint for it, and the same without statistics.

Run in LeRobot's environment: `python make_lerobot.py FOLDER [video]`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from rpent_torch import hugging_face

hugging_face.prepare()

from lerobot.configs.types import FeatureType  # noqa: E402
from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402
from lerobot.datasets.utils import dataset_to_policy_features  # noqa: E402
from lerobot.policies.factory import (  # noqa: E402
    get_policy_class,
    make_policy_config,
    make_pre_post_processors,
)

JOINTS = ["shoulder", "elbow", "wrist_flex", "wrist_roll", "jaw", "gripper"]
SMALL = {
    "chunk_size": 10,
    "n_action_steps": 5,
    "dim_model": 32,
    "n_heads": 2,
    "dim_feedforward": 32,
    "n_encoder_layers": 1,
    "n_vae_encoder_layers": 1,
    "latent_dim": 4,
    "pretrained_backbone_weights": None,
    "device": "cpu",
    "push_to_hub": False,
}


def make_dataset(folder: Path, *, video: bool) -> Any:
    """Write three episodes of fifteen steps, with two cameras."""
    camera = {
        "dtype": "video" if video else "image",
        "shape": (48, 64, 3),
        "names": ["height", "width", "channels"],
    }
    vector = {"dtype": "float32", "shape": (6,), "names": JOINTS}
    features = {
        "observation.images.top": camera,
        "observation.images.wrist": camera,
        "observation.state": vector,
        "action": vector,
    }
    dataset = LeRobotDataset.create(
        "local/toy", fps=20, features=features, root=folder, robot_type="so100", use_videos=video
    )
    random = np.random.default_rng(0)
    for _ in range(3):
        for _ in range(15):
            state = random.normal(size=6) * [1, 2, 1, 1, 1, 0.5]
            picture = random.integers(0, 256, (48, 64, 3), dtype=np.uint8)
            dataset.add_frame(
                {
                    "observation.images.top": picture,
                    "observation.images.wrist": picture[::-1].copy(),
                    "observation.state": state.astype(np.float32),
                    "action": (state * 0.5 + 0.1).astype(np.float32),
                    "task": "pick up the cube",
                }
            )
        dataset.save_episode()
    dataset.finalize()
    return dataset


def main(folder: Path, *, video: bool) -> None:
    """Make all of it."""
    dataset = make_dataset(folder / "dataset", video=video)
    features = dataset_to_policy_features(dataset.meta.features)
    outputs = {name: each for name, each in features.items() if each.type is FeatureType.ACTION}
    inputs = {name: each for name, each in features.items() if name not in outputs}
    config = make_policy_config("act", input_features=inputs, output_features=outputs, **SMALL)
    policy = get_policy_class("act")(config)
    for name, statistics in (("act", dataset.meta.stats), ("act_without_statistics", None)):
        before, after = make_pre_post_processors(config, dataset_stats=statistics)
        for part in (policy, before, after):
            part.save_pretrained(folder / name)


main(Path(sys.argv[1]), video=len(sys.argv) > 2)
