"""How the policies of one training are compared: the same seeded episodes, under the task's own success measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import report_standing
from rpent_robosmith.reports import CurvePoint
from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.policies import policy_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import gymnasium

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.training.order import Selection, Standing


class Judge:
    """Runs policies in an environment of its own, which has the environment's own reward.

    Args:
        entry: Declares success, progress and measures.
        selection: Seeds, criteria, and when enough is enough.
        env: Made for this only.
    """

    def __init__(self, entry: EnvEntry, selection: Selection, env: gymnasium.Env[Any, Any]) -> None:
        self._entry, self._selection, self._env = entry, selection, env

    def evaluate(self, policy: PolicyParameters, alive: Callable[[], None]) -> dict[str, float]:
        """Return the metrics of a policy over the selection's episodes.

        Args:
            policy: Any.
            alive: Called after each episode.
        """
        function = policy_function(policy)
        records = []
        for number in range(self._selection.episodes):
            records.append(run_episode(self._env, function, self._entry, self._selection.first_seed + number))
            alive()
        return summarise("trained", records, measures=self._entry.measures).metrics

    def updated(self, standing: Standing, steps: int, metrics: Mapping[str, float]) -> Standing:
        """Return the standing with one more evaluation.

        Of policies that succeed in every episode the later one is kept: the first was perhaps lucky, and these episodes
        cannot tell them apart.
        """
        rates = dict(metrics)
        held = all(item.holds(rates.get(item.metric, math.nan)) for item in self._selection.criteria)
        key = (held, *report_standing(rates, self._entry))
        solved = held and rates["success_rate"] >= 1.0
        better = standing.best is None or key > standing.best or (solved and key == standing.best)
        return standing.model_copy(
            update={
                "best": key if better else standing.best,
                "best_steps": steps if better else standing.best_steps,
                "stale": 0 if better else standing.stale + 1,
                "solved": standing.solved + 1 if solved else 0,
            }
        )

    def enough(self, standing: Standing, steps: int, total: int) -> str:
        """Return why the training may end before its last step; empty where it goes on."""
        selection = self._selection
        if standing.solved >= selection.solved_after:
            return (
                f"every criterion held and every episode succeeded in {standing.solved} "
                f"evaluation{'s' if standing.solved > 1 else ''} in a row"
            )
        if selection.patience is None or steps < selection.least_fraction * total:
            return ""
        if standing.stale >= selection.patience:
            return f"nothing better in {standing.stale} evaluations"
        return ""

    def point(self, steps: int, metrics: Mapping[str, float], **numbers: Any) -> CurvePoint:
        """Return the point of the learning curve; numbers that are not finite are left out."""
        return CurvePoint(
            steps=steps,
            success_rate=_finite(metrics.get("success_rate")),
            progress=_finite(metrics.get(f"mean_{self._entry.progress}")),
            mean_return=_finite(metrics.get("mean_return")),
            **numbers,
        )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
