"""Plain state comes back as it was: types, shared arrays, attributes that came and went."""

from __future__ import annotations

import json
from collections import OrderedDict

import numpy as np
import pytest
from rpent_robot_robocasa.server.plain import NotPlainError, PlainState, decode, encode


class Machine:
    """Something with flags."""

    def __init__(self) -> None:
        self.on = False
        self.timers = {0: 3, 1: 0}
        self.pose = np.zeros(3)
        self.first_pose = self.pose
        self.made_of = object()


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
