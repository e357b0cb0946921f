"""Loading weights, and proof that they were loaded: LeRobot returns a random model where they do not fit."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch
from rpent.errors import PolicyError
from rpent_torch import weights
from safetensors import safe_open

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Shapes = dict[str, tuple[int, ...]]


class Record:
    """What a policy's `load_state_dict` was given, under the model's own names."""

    def __init__(self) -> None:
        self.given: Shapes | None = None
        self.model: Shapes = {}


def load_policy(policy_class: Any, folder: Path, settings: Any) -> Any:
    """Build a policy and load its weights.

    Args:
        policy_class: LeRobot's class.
        folder: The checkpoint.
        settings: LeRobot's configuration.

    Returns:
        The policy, in evaluation mode, on the configuration's device.

    Raises:
        PolicyError: Weights are missing, unexpected or of another shape, or were not loaded.
    """
    record = Record()
    try:
        with _recorded(policy_class, record):
            policy = policy_class.from_pretrained(folder, config=settings)
    except Exception as error:
        _refuse_differences(record, folder)
        if isinstance(error, (RuntimeError, OSError, ImportError, ValueError)):
            raise PolicyError(
                f"The policy of the checkpoint `{folder}` cannot be built.", hint=str(error).strip()[:600]
            ) from error
        raise
    if record.given is None:  # a policy that loads in a way of its own
        record.given = {
            name: tensor.shape for name, tensor in weights.shapes(folder / weights.WEIGHTS).items()
        }
        record.model = _shapes(policy)
    _refuse_differences(record, folder)
    _check_values(policy, folder)
    return policy.to(settings.device).eval()


@contextlib.contextmanager
def _recorded(policy_class: Any, record: Record) -> Iterator[None]:
    """Watch what reaches the policy; some classes rename keys first, and some swallow the error of a bad load."""
    own = "load_state_dict" in vars(policy_class)
    original = policy_class.load_state_dict

    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        record.given = {
            **(record.given or {}),
            **{key: tuple(value.shape) for key, value in state_dict.items()},
        }
        record.model = _shapes(self, known=record.given)
        return original(self, state_dict, *args, **kwargs)

    policy_class.load_state_dict = load_state_dict
    try:
        yield
    finally:
        if own:
            policy_class.load_state_dict = original
        else:
            del policy_class.load_state_dict


def _shapes(policy: Any, known: Shapes | None = None) -> Shapes:
    """Return the model's keys and shapes; of names that share one tensor, those that the file has are enough."""
    state = policy.state_dict()
    by_place: dict[Any, list[str]] = {}
    for key, tensor in state.items():
        place = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride()) if tensor.numel() else key
        by_place.setdefault(place, []).append(key)
    wanted = [
        key
        for keys in by_place.values()
        for key in ([each for each in keys if each in (known or {})] or keys[:1])
    ]
    return {key: tuple(state[key].shape) for key in wanted}


def _refuse_differences(record: Record, folder: Path) -> None:
    if record.given is not None:
        weights.require_all(record.model, record.given, checkpoint=folder)


def _check_values(policy: Any, folder: Path) -> None:
    """Compare a few numbers of every tensor with the file's, for the names that both have."""
    state = policy.state_dict()
    compared, wrong = 0, []
    with safe_open(str(folder / weights.WEIGHTS), framework="pt") as file:
        for key in file.keys():  # noqa: SIM118 (it is no mapping)
            name = key if key in state else f"model.{key}"
            if name not in state:
                continue
            compared += 1
            there = file.get_slice(key)
            first = there[:1] if there.get_shape() else file.get_tensor(key)
            here = state[name][:1] if state[name].ndim else state[name]
            if not torch.equal(first.to(here.dtype), here.cpu()):
                wrong.append(name)
    if wrong or not compared:
        raise PolicyError(
            f"The weights of the checkpoint `{folder}` were not loaded into the policy.",
            hint=f"{len(wrong)} of {compared} tensors differ from the file"
            + (f", `{wrong[0]}` first." if wrong else "."),
        )
