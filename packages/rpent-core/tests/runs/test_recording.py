"""What a kill at any moment leaves, and how much a step costs on disk."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from rpent.errors import RunDirectoryError
from rpent.runs import events as ev
from rpent.runs.directory import create, safe_name
from rpent.runs.events import read_events
from rpent.runs.pictures import decode_depth, encode_depth, encode_pictures
from rpent.runs.recipe import read_recipe
from rpent.runs.recorder import Recorder
from rpent.runs.steps import read_snapshot
from rpent.tools import Capture, Image

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 255, (64, 64, 3), dtype=np.uint8)


def capture(value: int) -> Capture:
    return Capture(
        state={"value": value},
        images=[Image(name="view", caption="view", pixels=PIXELS)],
        depth={"view": np.full((64, 64), 0.5 + value / 10, np.float32)},
        snapshot=bytes([value]),
    )


def record_calls(directory, count, first=0):
    recorder = Recorder(directory, record_video=False)
    for number in range(first, first + count):
        call_id = f"c{number}"
        recorder.event(ev.ToolCalled(turn=1, call_id=call_id, name="move", arguments={"n": number}))
        step = recorder.step(capture(number)).index
        recorder.event(
            ev.ToolReturned(
                call_id=call_id, name="move", ok=True, data={"n": number}, text="{}", step=step, recipe=True
            )
        )
    recorder.close()


@pytest.fixture
def directory(tmp_path):
    return create(tmp_path, "tag", "planner")


def test_a_cut_at_every_byte_loses_at_most_the_event_under_way(directory):
    """The event log is cut at every length; each time the run opens, just the whole lines survive."""
    record_calls(directory, 3)
    whole = directory.events.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for length in range(len(whole) + 1):
        directory.events.write_bytes(whole[:length])
        complete = sum(end <= length for end in ends)
        assert len(list(read_events(directory.events))) in {complete, complete + 1}
    for length in [*range(ends[2], ends[4] + 1, 7), len(whole) - 1]:
        directory.events.write_bytes(whole[:length])
        complete = sum(end <= length for end in ends)
        recorder = Recorder(directory, record_video=False)
        assert len(recorder.history) == complete
        recorder.event(ev.Notice(text="again"))
        recorder.close()
        events = list(read_events(directory.events))
        assert [event.seq for event in events] == list(range(complete + 1))


def test_a_resumed_recorder_drops_what_no_event_vouches_for(directory):
    record_calls(directory, 2)
    recorder = Recorder(directory, record_video=False)
    recorder.event(ev.ToolCalled(turn=1, call_id="lost", name="move", arguments={}))
    recorder.step(capture(9))  # the process dies before the call returns
    (directory.steps / ".0003.tmp").mkdir()
    recorder = Recorder(directory, record_video=False)
    assert recorder.last_step == 1
    assert sorted(path.name for path in directory.steps.iterdir()) == ["0000", "0001"]
    assert read_snapshot(directory, 1) == b"\x01"
    assert [call.arguments for call in read_recipe(directory.path)] == [{"n": 0}, {"n": 1}]
    recorder.close()


def test_the_transcript_is_valid_after_every_entry(directory):
    recorder = Recorder(directory, record_video=False)
    for number in range(5):
        recorder.event(ev.AssistantText(turn=number, text=f'quotes " and\nlines {number} ü'))
        document = json.loads(directory.transcript.read_text())
        assert len(document["entries"]) == number + 1
    recorder.close()


def test_a_torn_recipe_line_is_skipped_but_a_damaged_one_is_not(directory):
    record_calls(directory, 2)
    with directory.recipe.open("a") as file:
        file.write('{"n": 2, "na')
    assert len(read_recipe(directory.path)) == 2
    directory.recipe.write_text("garbage\n" + directory.recipe.read_text())
    with pytest.raises(RunDirectoryError, match="Line 1"):
        read_recipe(directory.path)


def test_unknown_events_do_not_stop_a_reader(directory):
    record_calls(directory, 1)
    with directory.events.open("a") as file:
        file.write('{"seq": 99, "time": 0, "type": "from_the_future"}\n')
    assert len(list(read_events(directory.events))) == 2


def test_a_step_fits_its_budget_even_with_large_noise(directory):
    """Two noisy 1024x1024 cameras with depth: pictures and depth are reduced until they fit."""
    noise = RNG.integers(0, 255, (1024, 1024, 3), dtype=np.uint8)
    depth = RNG.uniform(0.3, 3.0, (1024, 1024)).astype(np.float32)
    recorder = Recorder(directory, record_video=False)
    heavy = Capture(
        state={},
        images=[Image(name=name, caption=name, pixels=noise) for name in ("a", "b")],
        depth={"a": depth, "b": depth},
        snapshot=os.urandom(50_000),
    )
    pictures = recorder.step(heavy).pictures
    recorder.close()
    assert sum(len(picture.data) for picture in pictures) <= 400_000
    assert sum(path.stat().st_size for path in directory.step(0).iterdir()) <= 1_000_000
    assert read_snapshot(directory, 0) == heavy.snapshot


def test_pictures_keep_their_captions_and_what_they_show():
    gradient = np.tile(np.linspace(0, 255, 128, dtype=np.uint8)[:, None, None], (1, 128, 3))
    (picture,) = encode_pictures([Image(name="a", caption="the view", pixels=gradient)], "steps/0001")
    assert (picture.caption, picture.path) == ("the view", "steps/0001/a.jpg")
    assert (picture.width, picture.height) == (128, 128)


def test_depth_is_kept_to_half_a_millimetre():
    depth = RNG.uniform(0.2, 5.0, (32, 48)).astype(np.float32)
    depth[0, 0] = np.nan
    back = decode_depth(encode_depth(depth))
    assert back.shape == (32, 48)
    assert np.abs(back - depth)[np.isfinite(depth)].max() <= 0.00051
    assert back[0, 0] == 0


def test_names_are_valid_everywhere():
    assert safe_name("a/b:c*?") == "a-b-c"
    assert safe_name("...") == "run"
    assert len(safe_name("x" * 300)) == 80


def test_a_second_directory_never_reuses_the_first(tmp_path):
    made = {create(tmp_path, "t", "p").path for _ in range(5)}
    assert len(made) == 5


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 1, "rpent": "0", "created": "x"}'])
def test_a_damaged_manifest_is_one_sentence(tmp_path, text):
    from rpent.errors import RunDirectoryError
    from rpent.runs.directory import RunDirectory

    (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunDirectoryError, match=r"run\.json"):
        RunDirectory(tmp_path).read_manifest()


def test_a_torn_file_is_not_left_behind(tmp_path, monkeypatch):
    from pathlib import Path

    from rpent.errors import RunDirectoryError
    from rpent.runs.files import write_atomic

    def full(path, data):
        with path.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RunDirectoryError, match="No space left on device"):
        write_atomic(tmp_path / "run.json", b"something")
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_the_disk_took_in_part_is_taken_back(tmp_path, monkeypatch):
    import os

    from rpent.errors import RunDirectoryError
    from rpent.runs.files import LineLog

    log, write = LineLog(tmp_path / "events.jsonl"), os.write
    log.append(b"first")
    left = [3]

    def nearly_full(file, data):
        if not left:
            raise OSError(28, "No space left on device")
        return write(file, data[: left.pop()])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", nearly_full)
        with pytest.raises(RunDirectoryError, match="No space left on device"):
            log.append(b"second")
    log.append(b"third")
    assert log.path.read_bytes() == b"first\nthird\n"
    assert log.in_place
    log.path.rename(tmp_path / "moved.jsonl")
    assert not log.in_place
    log.close()


def test_a_record_whose_steps_are_gone_can_be_opened(tmp_path):
    directory = create(tmp_path, "fake", "api")
    recorder = Recorder(directory, record_video=False)
    recorder.event(ev.TurnStarted(turn=1))
    recorder.close()
    directory.steps.rmdir()
    recorder = Recorder(directory, record_video=False)
    assert recorder.step(capture(1)).index == 0
    recorder.close()
