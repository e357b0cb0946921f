"""ONNX models: inputs, outputs and types, from the session that would run them.

Two entries of a model's metadata are read besides: `normalization`, JSON such as `{"observation.state": {"mode":
"mean_std", "mean": […], "std": […]}, "action": {…}}` for a network that takes and gives normalised numbers (the
generated wrapper then normalises), and `control_rate_hz`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError, clause

from rpent_robosmith.inspect.api import ArtefactFacts, Feature, Inspector, local
from rpent_robosmith.inspect.spaces import ACTION

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(uint8)": "uint8",
    "tensor(int8)": "int8",
    "tensor(int32)": "int32",
    "tensor(int64)": "int64",
    "tensor(bool)": "bool",
}
_PICTURE_AXES = 4
_CHANNELS = (1, 3, 4)
_NORMALIZATION, _RATE = "normalization", "control_rate_hz"
_MODES = {"mean_std": ("mean", "std"), "min_max": ("low", "high")}


class OnnxPolicyInspector(Inspector):
    """Opens the model with onnxruntime, without optimising or running it."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a file named `*.onnx`."""
        path = local(artefact)
        return path is not None and path.is_file() and path.suffix.lower() == ".onnx"

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:  # noqa: ARG002 (a policy holds no steps)
        """Return what the model takes and gives."""
        session = _session(Path(artefact).expanduser())
        outputs = session.get_outputs()
        chosen = action_output([each.name for each in outputs])
        meta = session.get_modelmeta()
        extra = dict(meta.custom_metadata_map)
        statistics = _statistics(artefact, extra.get(_NORMALIZATION))
        action, chunk = _action(next(each for each in outputs if each.name == chosen))
        observation = {each.name: _input(each.shape, each.type) for each in session.get_inputs()}
        return ArtefactFacts(
            kind="policy",
            id=artefact,
            format="onnx",
            observation={name: _with(each, statistics.get(name)) for name, each in observation.items()},
            action={chosen: _with(action, statistics.get(chosen) or statistics.get(ACTION))},
            control_rate_hz=_rate(extra.get(_RATE)),
            chunk_length=chunk,
            language=any(each.kind == "text" for each in observation.values()),
            normalization={name: str(each["mode"]) for name, each in statistics.items()},
            normalization_statistics=True if statistics else None,
            versions={"producer": f"{meta.producer_name} {meta.version}".strip()},
            notes=() if statistics else ("Whether the network normalises by itself is not in the file.",),
            details={
                "inputs": {
                    each.name: {"shape": list(each.shape), "type": each.type} for each in session.get_inputs()
                },
                "outputs": {each.name: {"shape": list(each.shape), "type": each.type} for each in outputs},
                "metadata": {name: value[:2000] for name, value in sorted(extra.items())},
            },
        )


def _session(path: Path) -> Any:
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception class for each of its codes
        raise UsageError(f"`{path}` cannot be opened as an ONNX model ({clause(error)}).") from error


def action_output(names: Sequence[str]) -> str:
    """Return which output is the action: the one that is called so, else the first."""
    for wanted in (ACTION, "actions"):
        if wanted in names:
            return wanted
    return next((name for name in names if ACTION in name.lower()), names[0])


def _input(shape: Sequence[Any], kind: str) -> Feature:
    """Return the feature of an input; its first axis is the batch."""
    dtype = _TYPES.get(kind, kind)
    inner = tuple(length if isinstance(length, int) else 0 for length in shape[1:])
    if kind == "tensor(string)":
        return Feature(kind="text", shape=(), dtype="string")
    if len(shape) == _PICTURE_AXES and (inner[0] in _CHANNELS or inner[-1] in _CHANNELS):
        first = inner[0] in _CHANNELS
        height, width, channels = (inner[1], inner[2], inner[0]) if first else inner
        return Feature(kind="image", shape=(height, width, channels), dtype=dtype, channels_first=first)
    if dtype.startswith("int") and all(length in (1,) for length in inner):
        return Feature(kind="discrete", shape=inner, dtype=dtype)
    return Feature(kind="vector", shape=inner or (1,), dtype=dtype)


def _action(output: Any) -> tuple[Feature, int]:
    """Return the action of an output and how many come at once: (B, D), (B, T, D), or (B,) of a discrete one."""
    dtype = _TYPES.get(output.type, output.type)
    inner = tuple(length if isinstance(length, int) else 0 for length in output.shape[1:])
    if dtype.startswith("int"):
        return Feature(kind="discrete", shape=(), dtype=dtype), 1
    if len(inner) == 2:
        return Feature(kind="vector", shape=(inner[1],), dtype=dtype), inner[0] or 1
    return Feature(kind="vector", shape=inner or (1,), dtype=dtype), 1


def _statistics(artefact: str, text: str | None) -> dict[str, dict[str, Any]]:
    """Return the statistics of the metadata, checked.

    Raises:
        UsageError: They are not what is written above.
    """
    if not text:
        return {}
    try:
        found = json.loads(text)
        for each in found.values():
            for name in _MODES[each["mode"]]:
                if not all(isinstance(number, int | float) for number in each[name]):
                    raise TypeError(name)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"The metadata `{_NORMALIZATION}` of `{artefact}` cannot be read ({clause(error, named=True)}).",
            hint='It is JSON: {"observation.state": {"mode": "mean_std", "mean": [...], "std": [...]}}.',
        ) from error
    return dict(found)


def _with(feature: Feature, statistics: dict[str, Any] | None) -> Feature:
    if statistics is None:
        return feature
    names = _MODES[statistics["mode"]]
    return feature.model_copy(update={name: tuple(map(float, statistics[name])) for name in names})


def _rate(text: str | None) -> float | None:
    try:
        rate = float(text or "")
    except ValueError:
        return None
    return rate if 0 < rate < float("inf") else None
