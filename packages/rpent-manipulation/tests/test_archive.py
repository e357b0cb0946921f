"""Snapshots as bytes: what comes back, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from rpent_manipulation.env import archive
from rpent_manipulation.env.archive import SnapshotError, array_like, pack, reading, unpack
from rpent_manipulation.env.running import Counters, RunningEpisode


def header_bytes(**header: object) -> np.ndarray:
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


def saved(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def test_header_and_arrays_come_back():
    header, arrays = unpack(pack({"format": 3, "seed": 1}, {"state": np.arange(3.0)}), version=3)
    assert header == {"format": 3, "seed": 1}
    np.testing.assert_array_equal(arrays["state"], [0, 1, 2])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 no archive",
        pack({"format": 1}, {"state": np.zeros(3)})[:60],
        saved(state=np.zeros(3)),
        saved(header=np.frombuffer(b"[1]", np.uint8)),
        saved(header=np.frombuffer(b"[" * 100_000, np.uint8)),
        saved(header=np.array([{"format": 1}], dtype=object)),
    ],
)
def test_other_bytes_are_refused(data: bytes):
    with pytest.raises(SnapshotError, match="not a snapshot"):
        unpack(data, version=1)


def test_another_format_is_refused():
    with pytest.raises(SnapshotError, match="has format 2, this version reads 1"):
        unpack(pack({"format": 2}, {}), version=1)


def test_an_archive_that_unpacks_to_far_more_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 1 << 20)
    data = pack({"format": 1}, {"state": np.zeros(1 << 18)})
    assert len(data) < 1 << 14
    with pytest.raises(SnapshotError, match="more than 1 MB"):
        unpack(data, version=1)


def test_an_array_larger_than_its_bytes_is_refused():
    """The shape in an array's own header is no promise."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        for name, array in (("header", header_bytes(format=1)), ("state", np.zeros(2))):
            member = io.BytesIO()
            np.save(member, array)
            opened.writestr(f"{name}.npy", member.getvalue().replace(b"(2,)", b"(9" + b"9" * 17 + b",)"))
    with pytest.raises(SnapshotError, match="not a snapshot"):
        unpack(stream.getvalue(), version=1)


@pytest.mark.parametrize(
    "value", [np.zeros(3), np.zeros((2, 2), np.float32), np.zeros((2, 2), int), [[0, 0]]]
)
def test_what_replaces_an_array_is_like_it(value: object):
    with pytest.raises(SnapshotError, match="`state`"):
        array_like(value, np.zeros((2, 2)), "state")


COUNTED = {"seed": 3, "steps": 12, "success": False, "max_steps": 300}


def test_an_episode_counts_on_from_a_snapshot():
    episode = RunningEpisode(seed=0, max_steps=10, action_dim=2)
    episode.executed.add(np.ones(2))
    episode.come_back(Counters.of(json.loads(json.dumps(COUNTED))))
    assert episode.counters() == COUNTED
    assert episode.executed.drain(12)["actions"].shape == (0, 2)
    assert not episode.over


@pytest.mark.parametrize(
    "wrong",
    [{"seed": -1}, {"seed": "x"}, {"steps": 1.5}, {"success": 1}, {"max_steps": 0}, {"max_steps": None}],
)
def test_counters_are_what_they_can_be(wrong: dict[str, object]):
    with pytest.raises(SnapshotError), reading():
        Counters.of({**COUNTED, **wrong})
