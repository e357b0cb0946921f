"""Orders of trainings as data."""

from __future__ import annotations

from rpent_robosmith.catalog.load import find
from rpent_robosmith.training.order import TrainingOrder


def order(**fields):
    return TrainingOrder(
        entry=find("pendulum"), algorithm="bc", trainer="bc", seed=0, total_steps=9, **fields
    )


def test_where_the_dataset_is_makes_no_other_training():
    here = order(dataset="demos.hdf5", dataset_path="/home/one/demos.hdf5")
    assert here.fingerprint == order(dataset="demos.hdf5").fingerprint
    assert here.fingerprint != order(dataset="others.hdf5").fingerprint
