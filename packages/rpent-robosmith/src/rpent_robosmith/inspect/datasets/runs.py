"""RPent's run directories, as a dataset of their control actions."""

from __future__ import annotations

from pathlib import Path

from rpent_robosmith.datasets.open import kind_of
from rpent_robosmith.inspect.api import ArtefactFacts, Inspector, local
from rpent_robosmith.inspect.datasets.facts import inspected


class RunsDatasetInspector(Inspector):
    """Reads manifests and actions; state and pictures are kept once a tool call, so there is no observation."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a run directory of `rpent run`, or a folder of some."""
        path = local(artefact)
        return path is not None and kind_of(path) == "runs"

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:
        """Return what the runs hold."""
        from rpent_robosmith.datasets.runs import RunsReader  # noqa: PLC0415

        with RunsReader(Path(artefact).expanduser()) as reader:
            return inspected(artefact, reader, samples)
