"""Maps a target's observations to a policy's inputs and its answers to the target's actions, as `mapping.json` says."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from rpent_robosmith.worker.wrapper.answers import answer_rows, chosen, fitted
from rpent_robosmith.worker.wrapper.error import WrapperError
from rpent_robosmith.worker.wrapper.inputs import policy_input
from rpent_robosmith.worker.wrapper.scaling import denormalized, numbers

_KINDS = {"vector": "continuous", "discrete": "discrete"}


class Wrapper:
    """A policy in the target's terms.

    Args:
        policy: `policy(inputs, instruction)` returns one action (D,), a chunk (T, D), or a dict of parts. Its
            `reset()`, where it has one, is called at the beginning of an episode.
        mapping: The content of `mapping.json`, or its path; None takes the one beside this file.

    Raises:
        WrapperError: The mapping leaves something open that the policy cannot do without.
    """

    def __init__(self, policy: Any, mapping: dict[str, Any] | str | Path | None = None) -> None:
        self.policy, self.mapping = policy, _read(mapping)
        self._action = self.mapping["action"]
        self._queue: deque[Any] = deque()
        self.clipped = 0
        """Numbers of actions so far that went beyond the target's bounds, and were clipped."""
        self.asked = 0
        """Questions to the policy so far."""
        open_ends = list(_open_ends(self.mapping))
        if open_ends:
            raise WrapperError("The mapping is not complete: " + "; ".join(open_ends) + ".")

    def reset(self) -> None:
        """Begin an episode: forget the rest of a chunk, and what the policy remembers."""
        self._queue.clear()
        reset = getattr(self.policy, "reset", None)
        if callable(reset):
            reset()

    def act(self, observation: Any, instruction: str = "") -> Any:
        """Return one action for the target; a new question is asked when the last answer is used up.

        Args:
            observation: As the target gives it: a dict of arrays, or one array.
            instruction: What to do, for a policy that wants to be told.
        """
        if not self._queue:
            rows = self.chunk(observation, instruction)
            self._queue.extend(rows[: max(1, int(self._action["execute_steps"]))])
        return self._as_action(self._queue.popleft())

    def chunk(self, observation: Any, instruction: str = "") -> Any:
        """Return all actions of one answer in the target's terms: (T, D), or (T,) whole numbers of discrete ones."""
        self.asked += 1
        said = instruction or str(self.mapping.get("default_instruction") or "")
        return self.rows(self.policy(self.inputs(observation), said))

    def inputs(self, observation: Any) -> Any:
        """Return the policy's inputs: a dict of arrays in its own names, or one array where it takes one."""
        given = {"observation": observation} if self.mapping["bare_observation"] else observation
        found = {link["policy"]: policy_input(link, given) for link in self.mapping["observation"]}
        return next(iter(found.values())) if self.mapping["bare_policy"] else found

    def rows(self, answer: Any) -> Any:
        """Return a policy's answer, (D,), (T, D), (1, T, D) or a dict of parts, as the target's actions."""
        link = self._action
        if isinstance(answer, dict):
            answer = np.concatenate([answer_rows(answer[name], None) for name in link["sources"]], axis=1)
        if link["kind"] == "discrete":
            return chosen(link, answer)
        rows = answer_rows(answer, link["policy_size"]).astype(np.float64)
        if link["normalize"]:
            rows = denormalized(rows, link["normalize"])
        if link["order"]:
            rows = rows[:, link["order"]]
        rows = fitted(rows, link)
        if link["scale"]:
            rows = rows * np.asarray(link["scale"])
        if link["offset"]:
            rows = rows + np.asarray(link["offset"])
        if link["binary"]:
            rows = np.where(np.asarray(link["binary"]), np.where(rows >= 0, 1.0, -1.0), rows)
        if not np.isfinite(rows).all():
            raise WrapperError("The policy's answer is not finite.")
        return self._clipped(rows)

    def _clipped(self, rows: Any) -> Any:
        low, high = numbers(self._action["low"]), numbers(self._action["high"])
        if low.size and high.size:
            within = np.clip(rows, low, high)
            self.clipped += int((np.abs(within - rows) > 1e-6 * (1 + np.abs(rows))).sum())
            return within
        return rows

    def _as_action(self, row: Any) -> Any:
        link = self._action
        if link["kind"] == "discrete":
            return int(row) if not link["shape"] else np.asarray(row, link["dtype"]).reshape(link["shape"])
        if len(link["targets"]) == 1:
            return np.asarray(row, link["dtype"]).reshape(link["shape"])
        ends = np.cumsum(list(link["targets"].values()))[:-1]
        parts = np.split(np.asarray(row, link["dtype"]), ends)
        return dict(zip(link["targets"], parts, strict=True))


def _read(mapping: dict[str, Any] | str | Path | None) -> dict[str, Any]:
    if isinstance(mapping, dict):
        return mapping
    path = Path(__file__).with_name("mapping.json") if mapping is None else Path(mapping)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _open_ends(mapping: dict[str, Any]) -> Any:
    """Yield what the policy wants and nothing gives, and what the target takes and nobody says."""
    for link in mapping["observation"]:
        if not link["sources"] and link["fill"] is None:
            yield f"`{link['policy']}` has no source"
    action = mapping["action"]
    given, taken = action["policy_size"], action["size"]
    if action["kind"] != action["policy_kind"]:
        given, taken = _KINDS[action["policy_kind"]], _KINDS[action["kind"]]
        yield f"the policy gives {given} actions, the target takes {taken} ones"
    elif action["n"] and action["policy_n"] and action["n"] != action["policy_n"]:
        yield f"the policy chooses among {action['policy_n']} actions, the target has {action['n']}"
    elif not action["order"] and given < taken and action["pad"] is None:
        yield f"the policy gives {given} numbers and the target takes {taken}, and nothing pads them"
    elif not action["order"] and given > taken and not action["cut"]:
        yield f"the policy gives {given} numbers and the target takes {taken}, and nothing cuts them"
