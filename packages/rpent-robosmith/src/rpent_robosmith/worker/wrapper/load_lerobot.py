"""A LeRobot checkpoint with its processors, on the CPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


class LoadedPolicy:
    """Asks the model with a batch of one; its own processors normalise, and bring the answer back to its units."""

    def __init__(self, model: Any, before: Any, after: Any) -> None:
        self._model, self._before, self._after = model, before, after

    def reset(self) -> None:
        """Begin an episode."""
        self._model.reset()

    def __call__(self, inputs: Any, instruction: str = "") -> Any:
        """Return a chunk (T, D); (D,) of a policy that sees several observations, which keeps its own queue."""
        import torch  # noqa: PLC0415

        batch: dict[str, Any] = {"task": [instruction]}
        for name, value in inputs.items():
            batch[name] = torch.from_numpy(np.ascontiguousarray(value, np.float32))[None]
        with torch.no_grad():
            batch = self._before(batch)
            if int(getattr(self._model.config, "n_obs_steps", 1)) > 1:
                answer = self._after(self._model.select_action(batch))
            else:
                answer = self._after(self._model.predict_action_chunk(batch))
        return answer[0].float().cpu().numpy()


def load_policy(path: str) -> LoadedPolicy:
    """Load the folder with `config.json`. Nothing is downloaded, and nothing written."""
    from lerobot.policies.factory import get_policy_class, make_pre_post_processors  # noqa: PLC0415

    settings = _settings(Path(path) / "config.json")
    model = get_policy_class(settings.type).from_pretrained(
        path, config=settings, local_files_only=True, strict=True
    )
    model.eval()
    on_cpu = {"device_processor": {"device": "cpu"}}
    before, after = make_pre_post_processors(
        settings, pretrained_path=path, preprocessor_overrides=on_cpu, postprocessor_overrides=on_cpu
    )
    return LoadedPolicy(model, before, after)


def _settings(file: Path) -> Any:
    """Return the policy's configuration with nothing in it that leads to the network."""
    import draccus  # noqa: PLC0415
    from lerobot.configs.policies import PreTrainedConfig  # noqa: PLC0415

    saved = json.loads(file.read_text(encoding="utf-8"))
    settings = draccus.decode(PreTrainedConfig.get_choice_class(saved.pop("type")), saved)
    settings.device = "cpu"
    for name, value in (("pretrained_backbone_weights", None), ("load_vlm_weights", False)):
        if hasattr(settings, name):
            setattr(settings, name, value)  # they are in the checkpoint
    return settings
