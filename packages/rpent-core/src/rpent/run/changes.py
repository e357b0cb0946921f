"""What a resumed run is asked to do: what its last process did, with changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.planners.config import OF_ONE_MODEL
from rpent.run.manifest import request_from_json
from rpent.runs.processes import last_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.run.request import RunRequest


def request_to_resume(manifest: Mapping[str, Any], **changes: Any) -> RunRequest:
    """Return the request that goes on with a run.

    Args:
        manifest: run.json.
        **changes: Fields of the request to replace; `planner_config` is merged over the recorded one, unless
            `planner` is another.
    """
    recorded = last_request(manifest)
    given = dict(changes.get("planner_config", {}))
    if changes.get("planner", recorded["planner"]) == recorded["planner"]:
        given = _merged(recorded.get("planner_config", {}), given)
    return request_from_json(recorded, **{**changes, "planner_config": given})


def _merged(recorded: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recorded options with the given ones; the prices of one model are not those of another."""
    same_model = given.get("model", recorded.get("model")) == recorded.get("model")
    kept = {name: value for name, value in recorded.items() if same_model or name not in OF_ONE_MODEL}
    return {**kept, **given}
