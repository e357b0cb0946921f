"""Plain state comes back as it was: types, shared arrays, attributes that came and went."""

from __future__ import annotations

import json
from collections import OrderedDict

import numpy as np
import pytest
from rpent_manipulation.env.archive import SnapshotError, reading
from rpent_robot_robocasa.server.model_state import ModelState
from rpent_robot_robocasa.server.plain import NotPlainError, PlainState, decode, encode


class Machine:
    """Something with flags."""

    def __init__(self) -> None:
        self.on = False
        self.timers = {0: 3, 1: 0}
        self.pose = np.zeros(3)
        self.first_pose = self.pose
        self.made_of = object()

    @property
    def ready(self) -> bool:
        """Whether it is not on."""
        return not self.on

    def work(self) -> str:
        """Work."""
        return "worked"


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 2.5, "x", float("inf"), (1, [2, "a"]), {0: {"a": False}}, {1, 2}, OrderedDict(b=1, a=2)],
)
def test_values_keep_value_and_type(value):
    back = decode(json.loads(json.dumps(encode(value))))
    assert back == value
    assert type(back) is type(value)


def test_numpy_keeps_its_types():
    """The simulator asks `is True`, which numpy's is not."""
    flag = decode(json.loads(json.dumps(encode(np.bool_(1)))))
    assert isinstance(flag, np.bool_)
    array = decode(json.loads(json.dumps(encode(np.arange(6, dtype=np.float32).reshape(2, 3)))))
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array, [[0, 1, 2], [3, 4, 5]])
    array[0, 0] = 7  # it can be written to


def test_other_things_are_not_plain():
    for value in (object(), [object()], {"a": print}):
        with pytest.raises(NotPlainError):
            encode(value)


def test_changes_come_back_and_what_was_made_since_goes():
    machine = Machine()
    state = PlainState({"machine": machine})
    untouched = state.changes()
    assert untouched["changed"] == {}
    machine.on = np.bool_(1)
    machine.timers[1] = 9
    machine.since = 5
    del machine.first_pose
    later = json.loads(json.dumps(state.changes()))
    state.apply(untouched)
    assert machine.on is False
    assert machine.timers == {0: 3, 1: 0}
    assert not hasattr(machine, "since")
    state.apply(later)
    assert isinstance(machine.on, np.bool_)
    assert (machine.timers, machine.since) == ({0: 3, 1: 9}, 5)
    assert not hasattr(machine, "first_pose")
    assert json.loads(json.dumps(state.changes())) == later


def test_one_array_stays_one_array():
    """What the simulator writes in place into one of its names is seen under the other."""
    machine = Machine()
    state = PlainState({"machine": machine})
    start = state.changes()
    machine.pose[:] = 1.0
    moved = json.loads(json.dumps(state.changes()))
    for changes, value in ((start, 0.0), (moved, 1.0)):
        state.apply(changes)
        assert machine.pose is machine.first_pose
        np.testing.assert_array_equal(machine.pose, value)


FORGED = {
    "a method": ("machine|work", "nothing"),
    "a property": ("machine|ready", True),
    "another object of its own": ("machine|made_of", 3),
    "its class": ("machine|__class__", 3),
    "no name": ("machine|a.b", 3),
}


@pytest.mark.parametrize("what", FORGED)
def test_changes_from_outside_reach_plain_attributes_only(what: str):
    path, value = FORGED[what]
    machine = Machine()
    state = PlainState({"machine": machine})
    with pytest.raises(SnapshotError, match="no plain state"):
        state.read({"changed": {path: value}, "gone": [], "same": []})
    assert state.changes()["changed"] == {}
    assert machine.work() == "worked"


@pytest.mark.parametrize(
    "changes",
    [
        [],
        {"changed": {}, "gone": []},
        {"changed": {"other|on": True}, "gone": [], "same": []},
        {"changed": {}, "gone": ["machine|work"], "same": []},
        {"changed": {"machine|on": {"is": "function", "items": []}}, "gone": [], "same": []},
        {
            "changed": {"machine|on": {"is": "array", "dtype": "O", "shape": [1], "data": "AAAAAAAAAAA="}},
            "gone": [],
            "same": [],
        },
        {"changed": {}, "gone": [], "same": [["machine|on", "machine|made_of"]]},
    ],
)
def test_malformed_changes_are_no_snapshot(changes: object):
    state = PlainState({"machine": Machine()})
    with pytest.raises(SnapshotError, match="not a snapshot"), reading():
        state.read(changes)


def test_own_changes_are_read():
    machine = Machine()
    state = PlainState({"machine": machine})
    machine.on, machine.since, machine.made_of = True, 5, None
    del machine.timers
    changes = json.loads(json.dumps(state.changes()))
    assert state.read(changes) == changes


class FakeModel:
    """Some fields of a compiled model."""

    def __init__(self) -> None:
        self.site_rgba = np.ones((2, 4), np.float32)
        self.body_parentid = np.zeros(3, np.int32)


def test_of_a_model_only_quantities_change():
    model = FakeModel()
    state = ModelState(model)
    model.site_rgba[0, 3] = 0.0
    changes = state.changes()
    assert list(changes) == ["site_rgba"]
    model.site_rgba[:] = 1.0
    state.apply(state.read(changes))
    assert model.site_rgba[0, 3] == 0.0


@pytest.mark.parametrize(
    "forged",
    [
        {"body_parentid": np.full(3, 10**6, np.int32)},
        {"site_rgba": np.ones(4, np.float32)},
        {"site_rgba": np.ones((2, 4))},
        {"unheard_of": np.ones(3)},
    ],
)
def test_a_forged_model_is_refused(forged: dict[str, np.ndarray]):
    """MuJoCo takes whole numbers for addresses: they are none of a snapshot's."""
    with pytest.raises(SnapshotError):
        ModelState(FakeModel()).read(forged)
