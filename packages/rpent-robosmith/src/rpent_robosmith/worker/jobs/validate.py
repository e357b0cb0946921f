"""The job that runs a generated wrapper with the real policy, sealed, and says what it saw."""

from __future__ import annotations

import contextlib
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.worker.api import JobContext

_IMPORTS = {
    "sb3": ("torch", "stable_baselines3"),
    "onnx": ("onnxruntime",),
    "robosmith": ("rpent_robosmith.policy.network", "rpent_robosmith.policy.files", "safetensors.numpy"),
    "lerobot": ("torch", "lerobot.policies.factory", "lerobot.configs.policies"),
}
_MESSAGE = 600


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Run a wrapper on samples of the target, and the policy on samples of its own inputs.

    Args:
        params: `source` (the text of `wrapper.py`), `mapping`, `policy` (its path), `format`, `contrib`, `family`,
            `readable` (folders), `samples` (of the target: `observation`, `instruction`), `own` (of the policy:
            `inputs`, `instruction`).
        context: Sealed before the policy is loaded.

    Returns:
        `stages`: name → `{"ok", "count", "error"}` in order: `load`, `policy`, `target`; `answers`: shapes of the
        policy's answers; `actions`: what the wrapper gave, one for each sample; `clipped`, `asked`.
    """
    _import(params["format"], contrib=bool(params.get("contrib")), family=str(params.get("family") or ""))
    context.seal(readable=[str(path) for path in params["readable"]], threads=True)
    seen = _Seen()
    namespace: dict[str, Any] = {"__name__": "wrapper", "__file__": str(Path(os.devnull))}
    mapping = dict(params["mapping"])
    wrapper = seen.stage("load", 1, lambda: _load(params, mapping, namespace))
    if wrapper is None:
        return seen.result()
    seen.stage("policy", len(params["own"]), lambda: _own_side(seen, wrapper, params["own"], context))
    seen.stage(
        "target", len(params["samples"]), lambda: _target_side(seen, wrapper, params["samples"], context)
    )
    seen.clipped, seen.asked = wrapper.clipped, wrapper.asked
    return seen.result()


class _Seen:
    """What happened so far."""

    def __init__(self) -> None:
        self.stages: list[dict[str, Any]] = []
        self.answers: list[list[int]] = []
        self.actions: list[Any] = []
        self.types: list[str] = []
        self.clipped = self.asked = 0

    def stage(self, name: str, count: int, work: Callable[[], Any]) -> Any:
        """Do a part; an error of the wrapper or the policy ends it and is told."""
        done: dict[str, Any] = {"name": name, "count": count, "ok": True, "error": "", "kind": ""}
        self.stages.append(done)
        try:
            return work()
        except Exception as error:  # noqa: BLE001  (whatever foreign code raises is what was seen)
            text = " ".join(str(error).split())[:_MESSAGE]
            done.update(ok=False, error=text, kind=type(error).__name__)
            return None

    def result(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "stages": self.stages,
            "answers": self.answers,
            "actions": self.actions,
            "types": self.types,
            "clipped": self.clipped,
            "asked": self.asked,
        }


def _import(form: str, *, contrib: bool, family: str) -> None:
    """Import what the policy's format needs, while files of other places can still be read."""
    if form not in _IMPORTS:
        raise UsageError(f"Nobody here loads policies of the format `{form}`.")
    if form == "lerobot":
        with contextlib.suppress(
            ImportError
        ):  # there with RPent's own backends: torchvision beside another torch
            import_module("rpent_torch.hugging_face").prepare()
    for name in (*_IMPORTS[form], *(("sb3_contrib",) if contrib else ())):
        import_module(name)
    if form in {"sb3", "lerobot"}:
        import_module("torch").set_num_threads(1)
    if form == "lerobot":
        import_module("lerobot.policies.factory").get_policy_class(family)


def _load(params: Mapping[str, Any], mapping: dict[str, Any], namespace: dict[str, Any]) -> Any:
    exec(compile(params["source"], "wrapper.py", "exec"), namespace)  # noqa: S102  (sealed; it is what is validated)
    return namespace["load"](params["policy"], mapping)


def _own_side(seen: _Seen, wrapper: Any, samples: Any, context: JobContext) -> None:
    """Ask the policy with inputs of its own kind, and turn its answers into actions of the target."""
    for index, sample in enumerate(samples):
        wrapper.reset()
        inputs = sample["inputs"]
        answer = wrapper.policy(inputs, sample["instruction"])
        seen.answers.append(_shape(answer))
        wrapper.rows(answer)
        context.tell("progress", label="policy", done=float(index + 1), total=float(len(samples)))


def _target_side(seen: _Seen, wrapper: Any, samples: Any, context: JobContext) -> None:
    """Ask the wrapper with observations of the target, each twice as long as an answer lasts."""
    for index, sample in enumerate(samples):
        wrapper.reset()
        steps = min(64, int(wrapper.mapping["action"]["execute_steps"]) + 1)
        for step in range(steps):
            action = wrapper.act(sample["observation"], sample["instruction"])
            if step == 0:
                seen.actions.append(_plain(action))
                seen.types.append(_type(action))
        context.tell("progress", label="target", done=float(index + 1), total=float(len(samples)))


def _plain(action: Any) -> Any:
    if isinstance(action, dict):
        return {name: np.array(part) for name, part in action.items()}
    return np.array(action)


def _type(action: Any) -> str:
    if isinstance(action, dict):
        return "dict"
    return str(action.dtype) if isinstance(action, np.ndarray) else type(action).__name__


def _shape(answer: Any) -> list[int]:
    if isinstance(answer, dict):
        return [int(np.asarray(next(iter(answer.values()))).shape[0]), -1]
    return [int(length) for length in np.shape(answer)]
