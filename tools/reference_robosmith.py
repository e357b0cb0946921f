"""The page on RoboSmith: its hooks, its specs, the environments of its catalogs, its trainers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from reference_hooks import hooks_section, specs_sections
from rpent_robosmith import hookspecs, offers, specs
from rpent_robosmith.catalog.load import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.measures import Success


def robosmith_page() -> str:
    """Everything that a plugin author or a user of catalogs looks up."""
    return "\n".join(
        [
            "# RoboSmith\n",
            inspect.getdoc(hookspecs) or "",
            hooks_section(hookspecs.SmithHooks),
            specs_sections(specs),
            "\n## Environments\n",
            "| id | environment | success | usual algorithm |",
            "|---|---|---|---|",
            *map(environment_row, sorted(entries().values(), key=lambda entry: (entry.adapter, entry.id))),
            "\n## Trainers\n",
            "| trainer | algorithm | acts in | what it is |",
            "|---|---|---|---|",
            *trainer_rows(),
        ]
    )


def environment_row(entry: EnvEntry) -> str:
    """One environment."""
    usual = entry.training
    training = "–" if usual is None else f"{usual.algorithm}, {usual.total_steps:,} steps"
    return f"| `{entry.id}` | {entry.description} | {success(entry.success)} | {training} |"


def success(wanted: Success) -> str:
    """When an episode succeeds, in words."""
    ended = {None: "", True: ", ended by itself", False: ", not ended by itself"}[wanted.terminated]
    if wanted.signal is not None:
        return f"`info[{wanted.signal}]`{ended}"
    bounds: list[tuple[str, Any]] = [("≥", wanted.at_least), ("≤", wanted.at_most)]
    return (
        f"`{wanted.measure}` "
        + " and ".join(f"{sign} {value:g}" for sign, value in bounds if value is not None)
    ) + ended


def trainer_rows() -> Iterator[str]:
    """Each algorithm of each trainer."""
    for trainer in offers.TRAINERS:
        for algorithm in trainer.algorithms:
            spaces = ", ".join(algorithm.action_spaces)
            yield f"| `{trainer.name}` | `{algorithm.name}` | {spaces} | {algorithm.summary} |"
