"""The report's plots, as SVG: learning curves, the evaluation beside its baselines, the rewards that were tried.

matplotlib is an extra; it is imported here only, without pyplot and without the user's style. The same numbers give the
same bytes.
"""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rpent.errors import PluginError

from rpent_robosmith.delivery.chosen import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.workflow.state import RunState

INSTALL = 'pip install "rpent-robosmith[plots]"'
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart with every kind of colour vision (Okabe and Ito, 2008)."""
_STYLE: Any = {
    "svg.hashsalt": "robosmith",
    "svg.fonttype": "path",
    "font.size": 9.0,
    "axes.grid": True,
}


def plots(state: RunState) -> dict[str, bytes]:
    """Return name → SVG; what there is nothing to show of is left out.

    Raises:
        PluginError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise PluginError("There are no plots: `matplotlib` is not installed.", hint=INSTALL)
    drawn = {"learning_curves": _curves(state), "evaluation": _evaluation(state), "rewards": _rewards(state)}
    return {f"plots/{name}.svg": _svg(draw) for name, draw in drawn.items() if draw is not None}


def _svg(draw: Callable[[Any], None]) -> bytes:
    import matplotlib  # noqa: PLC0415
    from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with matplotlib.rc_context(), io.BytesIO() as file:
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure)
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        return file.getvalue()


def _curves(state: RunState) -> Callable[[Any], None] | None:
    trainings = [training for training in state.trainings if training.curve]
    if not trainings:
        return None

    def draw(figure: Any) -> None:
        success, returns = figure.subplots(1, 2)
        for number, training in enumerate(trainings):
            colour = _COLOURS[number % len(_COLOURS)]
            label = f"{training.iteration}: {training.algorithm}"
            for axes, name in ((success, "success_rate"), (returns, "mean_return")):
                points = [(p.steps, getattr(p, name)) for p in training.curve if getattr(p, name) is not None]
                axes.plot(
                    [x for x, _ in points], [y for _, y in points], marker=".", color=colour, label=label
                )
                if training.best_steps is not None:
                    axes.axvline(training.best_steps, color=colour, linestyle=":", linewidth=1)
        success.set(title="success rate", xlabel="environment steps", ylim=(-0.03, 1.03))
        returns.set(title="the environment's own return", xlabel="environment steps")
        success.legend(title="iteration", loc="best")

    return draw


def _evaluation(state: RunState) -> Callable[[Any], None] | None:
    verdict = verdict_of(state)
    if verdict is None:
        return None
    reports = (verdict.trained, *verdict.baselines)

    def draw(figure: Any) -> None:
        success, returns = figure.subplots(1, 2)
        for axes, name in ((success, "success_rate"), (returns, "mean_return")):
            for position, report in enumerate(reports):
                value, interval = report.metrics.get(name), report.intervals.get(name)
                if value is None:
                    continue
                axes.bar(position, value, color=_COLOURS[position % len(_COLOURS)], width=0.6)
                if interval is not None:
                    axes.plot([position] * 2, [interval.low, interval.high], color="black", linewidth=1.5)
            axes.set_xticks(range(len(reports)), [report.policy for report in reports])
        success.set(title="success rate", ylim=(0, 1.05))
        returns.set(title="the environment's own return")

    return draw


def _rewards(state: RunState) -> Callable[[Any], None] | None:
    scored = [one for one in state.candidates if one.score is not None]
    if not scored:
        return None

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for position, one in enumerate(scored):
            colour = _COLOURS[0] if state.reward is None or one.id != state.reward.id else _COLOURS[1]
            axes.barh(position, one.success_rate or 0.0, color=colour, height=0.6)
            note = "" if one.progress is None else f" progress {one.progress:.3g}"
            axes.text(one.success_rate or 0.0, position, note, va="center", fontsize=7)
        axes.set_yticks(range(len(scored)), [one.id for one in scored])
        axes.invert_yaxis()
        axes.set(title="rewards after a short training", xlabel="success rate", xlim=(0, 1.2))

    return draw
