"""What the attributes of a robomimic, LIBERO or robosuite HDF5 file say: environment, bounds, and what success is."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rpent_robosmith.datasets.api import DeclaredBounds

SUCCESS_FIELD = "task_successes"
_UNKNOWN = "Success is unknown: the file has no `task_successes`, and {why}."
_LIBERO = "Success is unknown: LIBERO writes a reward of 1 at the last step of every demonstration, whatever it did."


@dataclass(frozen=True, kw_only=True, slots=True)
class FileMetadata:
    """One file's attributes, read."""

    format: str
    fps: float | None = None
    robot: str | None = None
    environment: str | None = None
    task: str | None = None
    sparse: bool | None = None
    """Whether rewards are 0 until success; None where the environment's settings do not say."""
    declared: tuple[float, float] | None = None
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    action_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def success_source(self, demo: Any) -> str | None:
        """Return the field that says whether an episode succeeded."""
        if SUCCESS_FIELD in demo or SUCCESS_FIELD in demo.attrs:
            return SUCCESS_FIELD
        return "rewards (sparse, as `env_args` says)" if self.sparse and "rewards" in demo else None

    def success(self, demo: Any) -> bool | None:
        """Return whether an episode succeeded at any step; None where nothing says it."""
        if SUCCESS_FIELD in demo:
            return bool(np.any(np.asarray(demo[SUCCESS_FIELD][()]) > 0))
        if SUCCESS_FIELD in demo.attrs:
            return bool(np.any(np.asarray(demo.attrs[SUCCESS_FIELD]) > 0))
        if self.sparse and "rewards" in demo:
            return bool(np.any(np.asarray(demo["rewards"][()]) > 0))
        return None

    def task_of(self, demo: Any) -> str | None:
        """Return the episode's own instruction (`ep_meta`, as of RoboCasa), else the file's."""
        own = _object(demo.attrs.get("ep_meta")).get("lang")
        return own if isinstance(own, str) and own else self.task

    def bounds(self, width: int) -> DeclaredBounds | None:
        """Return the action's bounds, where the file states them for every number."""
        if len(self.low) == len(self.high) == width:
            return DeclaredBounds(
                low=self.low, high=self.high, source="the attributes `action_low` and `action_high`"
            )
        if self.declared is None:
            return None
        low, high = self.declared
        return DeclaredBounds(
            low=(low,) * width, high=(high,) * width, source="the controller's input range in `env_args`"
        )


def read_metadata(data: Any) -> FileMetadata:
    """Read the attributes of a file's group `data`; what cannot be read counts as not said."""
    attributes = data.attrs
    env = _object(attributes.get("env_args")) or _object(attributes.get("env_info"))
    kwargs = _object(env.get("env_kwargs")) or env
    problem = _object(attributes.get("problem_info"))
    libero = "bddl_file_name" in attributes or "problem_info" in attributes
    shaped = kwargs.get("reward_shaping")
    sparse = None if libero or not isinstance(shaped, bool) else not shaped
    task = problem.get("language_instruction") or env.get("env_lang") or kwargs.get("env_lang")
    rate = kwargs.get("control_freq")
    if not isinstance(rate, (int, float)):
        rate = attributes.get("control_rate_hz")
    return FileMetadata(
        format="libero-hdf5" if libero else "robomimic",
        fps=float(rate) if isinstance(rate, (int, float, np.number)) and rate > 0 else None,
        robot=_joined(kwargs.get("robots")),
        environment=_text(env.get("env_name") or attributes.get("env") or problem.get("problem_name")),
        task=_text(task.strip('"') if isinstance(task, str) else task) or None,
        sparse=sparse,
        declared=_input_range(kwargs.get("controller_configs")),
        low=_numbers(attributes.get("action_low")),
        high=_numbers(attributes.get("action_high")),
        action_names=tuple(str(name) for name in _list(attributes.get("action_names"))),
        notes=(_note(libero=libero, shaped=shaped),),
    )


def _note(*, libero: bool, shaped: object) -> str:
    if libero:
        return _LIBERO
    if shaped is True:
        return _UNKNOWN.format(why="its rewards are shaped (`reward_shaping` in `env_args`)")
    return _UNKNOWN.format(why="`env_args` does not say that rewards are sparse")


def _object(value: Any) -> dict[str, Any]:
    """Return a JSON object that an attribute holds, else an empty one."""
    if isinstance(value, dict):
        return value
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if not isinstance(value, str):
        return {}
    try:
        parsed = json.loads(value)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _list(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)):
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else []


def _numbers(value: Any) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in _list(value))
    except (TypeError, ValueError):
        return ()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _joined(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return "+".join(str(part) for part in value) if isinstance(value, list) and value else None


def _input_range(configs: Any) -> tuple[float, float] | None:
    """Return the range of a robosuite controller's input, where all controllers have the same.

    robosuite's `input_min` and `input_max` bound each number of a controller's action; grippers take [-1, 1]
    (https://robosuite.ai/docs/modules/controllers.html).
    """
    ranges: set[tuple[float, float]] = set()
    pending = [configs]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending.extend(each)
        elif isinstance(each, dict):
            low, high = each.get("input_min"), each.get("input_max")
            if isinstance(low, (int, float)) and isinstance(high, (int, float)):
                ranges.add((float(low), float(high)))
            elif low is not None or high is not None:
                return None
            pending.extend(value for value in each.values() if isinstance(value, (dict, list)))
    return ranges.pop() if ranges == {(-1.0, 1.0)} else None
