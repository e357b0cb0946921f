"""Drives to what is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.suggest import sentence

from rpent_planner_flash.plan import approach
from rpent_planner_flash.results import Result, unseen

if TYPE_CHECKING:
    from rpent_planner_flash.execute import Executor
    from rpent_planner_flash.goals import Navigate


def navigate(executor: Executor, goal: Navigate) -> Result:
    """Drive to a thing and face it; once there, it is seen better, so that a second drive corrects the first."""
    if not executor.mobile:
        return Result(False, f"The robot cannot drive to `{goal.item}`: it stands where it is.")
    reached, detail = False, ""
    for _ in executor.attempts():
        matches = executor.seeking.find(goal.item)
        if not matches:
            return Result(reached, detail) if reached else unseen(goal.item)
        done, reason = executor.act(approach(goal.item, matches[0].candidate))
        detail = sentence(f"{goal}: {reason}")
        if executor.accomplished or (done and reached):
            return Result(True, detail)
        reached = reached or done
    return Result(reached, detail)
