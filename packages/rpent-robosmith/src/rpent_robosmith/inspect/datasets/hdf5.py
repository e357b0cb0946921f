"""HDF5 in the layout of robomimic, LIBERO's and robosuite's included."""

from __future__ import annotations

from pathlib import Path

from rpent_robosmith.datasets.open import kind_of
from rpent_robosmith.inspect.api import ArtefactFacts, Inspector, local
from rpent_robosmith.inspect.datasets.facts import inspected


class Hdf5DatasetInspector(Inspector):
    """Reads attributes, and every step's numbers for the statistics; pictures are opened for samples only."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is an HDF5 file, or a folder of some."""
        path = local(artefact)
        return path is not None and kind_of(path) == "hdf5"

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:
        """Return what the dataset holds."""
        from rpent_robosmith.datasets.hdf5 import Hdf5Reader  # noqa: PLC0415

        with Hdf5Reader(Path(artefact).expanduser()) as reader:
            return inspected(artefact, reader, samples)
