import asyncio
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from rpent.runs.files import repair_lines
from rpent_dashboard.reading import liveness
from rpent_dashboard.reading.stream import BATCH, clean, log_stream, run_stream
from rpent_dashboard.reading.watch import Watcher

MakeRun = Callable[..., Path]
PATIENCE_S = 30.0
WRITER = """
import fcntl, json, os, sys, time
run, count = sys.argv[1], int(sys.argv[2])
lock = os.open(f"{run}/.lock", os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
log = os.open(f"{run}/events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for number in range(count):
    line = json.dumps({"type": "text", "seq": number, "text": "x" * 300}).encode() + b"\\n"
    os.write(log, line[:100])
    if number % 50 == 0:
        time.sleep(0.005)
    os.write(log, line[100:])
with open(f"{run}/.run.json.tmp", "w") as file:
    json.dump({"format": 1, "outcome": {"reason": "finished"}}, file)
os.replace(f"{run}/.run.json.tmp", f"{run}/run.json")
"""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "GRACE_S", 0.5)


def parsed(data: bytes) -> tuple[str, Any, int | None]:
    fields = dict(line.split(": ", 1) for line in data.decode().strip().split("\n"))
    if "event" not in fields:
        return "", None, None
    assert len(data) < BATCH + 200
    return fields["event"], json.loads(fields["data"]), int(fields["id"]) if "id" in fields else None


async def gathered(stream: AsyncIterator[bytes]) -> list[tuple[str, Any, int | None]]:
    return [parsed(data) async for data in stream][1:]


def all_of(run: Path, offset: int = 0) -> list[tuple[str, Any, int | None]]:
    return asyncio.run(asyncio.wait_for(gathered(run_stream(Watcher(), run, offset)), PATIENCE_S))


def events_in(messages: list[tuple[str, Any, int | None]]) -> list[dict[str, Any]]:
    return [event for kind, events, _ in messages if kind == "events" for event in events]


async def until(stream: AsyncIterator[bytes], kind: str) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        async for data in stream:
            found, value, _ = parsed(data)
            if found == kind:
                return value
    raise AssertionError(f"the stream ended without {kind}")


def held(run: Path) -> int:
    file = os.open(run / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def append(path: Path, *values: dict[str, Any]) -> None:
    with path.open("ab") as file:
        for value in values:
            file.write(json.dumps(value).encode() + b"\n")


def test_a_finished_run_comes_whole_and_ends(make_run: MakeRun) -> None:
    run = make_run()
    messages = all_of(run)
    assert [kind for kind, _, _ in messages] == ["events", "end"]
    assert [event["type"] for event in events_in(messages)] == [
        "run_started",
        "tool_called",
        "tool_returned",
        "tool_called",
        "tool_returned",
        "run_ended",
    ]
    assert messages[0][2] == (run / "events.jsonl").stat().st_size
    assert "text" not in events_in(messages)[2]


def test_every_event_says_where_its_line_is(make_run: MakeRun) -> None:
    run = make_run()
    data = (run / "events.jsonl").read_bytes()
    for event in events_in(all_of(run)):
        line = data[event["offset"] : event["offset"] + event["size"]]
        assert json.loads(line)["seq"] == event["seq"]


def test_a_reader_goes_on_behind_what_it_had(make_run: MakeRun) -> None:
    run = make_run()
    lines = (run / "events.jsonl").read_bytes().splitlines(keepends=True)
    messages = all_of(run, len(lines[0] + lines[1]))
    assert [event["seq"] for event in events_in(messages)] == [2, 3, 4, 5]
    size = (run / "events.jsonl").stat().st_size
    assert all_of(run, size) == [("end", {}, None)]


def test_an_offset_that_is_none_of_this_file_begins_anew(make_run: MakeRun) -> None:
    messages = all_of(make_run(), 3)
    assert [kind for kind, _, _ in messages] == ["restart", "events", "end"]
    assert len(events_in(messages)) == 6


def test_broken_lines_are_shown_in_their_place(make_run: MakeRun) -> None:
    run = make_run(
        events=[{"type": "turn", "turn": 1}],
        lines=b'{"type": "text", "te\n\n\x00\x01\xff\xfe garbage\n{"type": "turn", "turn": 2}\n{"type": "torn',
    )
    first, second, third, last = events_in(all_of(run))
    assert (first["turn"], last["turn"]) == (1, 2)
    assert (second["type"], second["line"], second["text"]) == ("broken", 2, '{"type": "text", "te')
    assert (third["type"], third["line"]) == ("broken", 4)
    assert third["offset"] == second["offset"] + len(second["text"]) + 2


def test_a_log_of_nothing_but_broken_lines(make_run: MakeRun) -> None:
    events = events_in(all_of(make_run(events=[], lines=b"\xff\x00\n" * 5000)))
    assert [event["line"] for event in events] == list(range(1, 5001))


def test_batches_are_bounded(make_run: MakeRun) -> None:
    run = make_run(events=[{"type": "text", "seq": number, "text": "y" * 900} for number in range(2000)])
    messages = all_of(run)
    assert [event["seq"] for event in events_in(messages)] == list(range(2000))
    assert len(messages) > 5
    offsets = [offset for kind, _, offset in messages if kind == "events"]
    assert offsets == sorted(offsets)
    middle = offsets[2]
    rest = events_in(all_of(run, middle))
    assert rest[0]["seq"] == sum(len(events) for kind, events, _ in messages[:3])


@pytest.mark.parametrize("manifest", [None, b"", b"nonsense", {"format": 2}, {"format": 0}])
def test_without_a_good_run_json_the_events_come_too(make_run: MakeRun, manifest: Any) -> None:
    messages = all_of(make_run(manifest=manifest))
    assert len(events_in(messages)) == 6
    assert messages[-1][0] == "end"


def test_without_events_it_ends(make_run: MakeRun) -> None:
    assert all_of(make_run(events=None)) == [("end", {}, None)]


def test_a_log_that_is_a_link_is_not_followed(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(events=None)
    (tmp_path / "secret").write_text("a secret\n")
    (run / "events.jsonl").symlink_to(tmp_path / "secret")
    assert all_of(run) == [("end", {}, None)]


def test_a_run_that_another_process_writes(make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None}, events=None)

    async def main(process: subprocess.Popen[str]) -> list[tuple[str, Any, int | None]]:
        stream = run_stream(Watcher(), run, 0)
        await anext(stream)
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
        return [parsed(data) async for data in stream]

    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(run), "1500"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        messages = asyncio.run(asyncio.wait_for(main(process), 60))
    assert process.returncode == 0
    assert [event["seq"] for event in events_in(messages)] == list(range(1500))
    assert not [event for event in events_in(messages) if event["type"] == "broken"]
    kinds = [kind for kind, _, _ in messages]
    assert kinds[-1] == "end"
    assert "manifest" in kinds


def test_a_killed_process_ends_the_stream(make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None}, events=None)

    async def main(process: subprocess.Popen[str]) -> None:
        async with aclosing(run_stream(Watcher(), run, 0)) as stream:
            await anext(stream)
            process.kill()
            await until(stream, "end")

    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(run), "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        process.stdout.readline()
        asyncio.run(main(process))


def test_between_a_resume_and_its_start_the_stream_does_not_end(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "GRACE_S", 5.0)
    run = make_run(manifest={"outcome": None}, events=[{"type": "turn", "seq": 0}], lines=b'{"type": "torn')
    events = run / "events.jsonl"

    async def main() -> None:
        async with aclosing(run_stream(Watcher(), run, 0)) as stream:
            assert [event["seq"] for event in await until(stream, "events")] == [0]
            await asyncio.sleep(0.3)
            file = held(run)
            repair_lines(events, lambda line: line.endswith(b"}\n"))
            append(events, {"type": "run_resumed", "seq": 1})
            assert [event["type"] for event in await until(stream, "events")] == ["run_resumed"]
            (run / "run.json").write_text(json.dumps({"format": 1, "outcome": {"reason": "finished"}}))
            os.close(file)
            await until(stream, "end")

    asyncio.run(main())


def test_a_deleted_run_ends_the_stream(make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None})

    async def main() -> None:
        file = held(run)
        async with aclosing(run_stream(Watcher(), run, 0)) as stream:
            await until(stream, "events")
            shutil.rmtree(run)
            os.close(file)
            await until(stream, "end")

    asyncio.run(main())


def test_several_readers_of_one_run_share_a_watcher(make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None}, events=[{"type": "turn", "seq": 0}])
    watcher = Watcher()

    async def one(started: asyncio.Barrier) -> list[int]:
        stream = run_stream(watcher, run, 0)
        found = [event["seq"] for event in await until(stream, "events")]
        await started.wait()
        while len(found) < 20:
            found += [event["seq"] for event in await until(stream, "events")]
        await stream.aclose()
        return found

    async def main() -> list[list[int]]:
        started = asyncio.Barrier(6)
        tasks = [asyncio.create_task(one(started)) for _ in range(5)]
        await started.wait()
        assert watcher.followers == 5
        for number in range(1, 20):
            append(run / "events.jsonl", {"type": "turn", "seq": number})
            await asyncio.sleep(0.01)
        return await asyncio.gather(*tasks)

    file = held(run)
    assert asyncio.run(main()) == [list(range(20))] * 5
    assert watcher.followers == 0
    os.close(file)


def test_the_lines_of_a_log_and_its_last_words(make_run: MakeRun) -> None:
    run = make_run()
    log = run / "logs/env.log"
    log.write_bytes(b"one\n\x1b[31mtwo\x1b[0m\n 10%\r 50%\r100%\nlast words")
    messages = asyncio.run(gathered(log_stream(Watcher(), run, log, 0)))
    assert messages == [
        ("lines", ["one", "two", "100%"], log.stat().st_size - 10),
        ("lines", ["last words"], log.stat().st_size),
        ("end", {}, None),
    ]


def test_a_log_that_is_written_later(make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None})
    shutil.rmtree(run / "logs")

    async def main() -> None:
        file = held(run)
        async with aclosing(log_stream(Watcher(), run, run / "logs/env.log", 0)) as stream:
            await anext(stream)
            (run / "logs").mkdir()
            (run / "logs/env.log").write_text("ready\n")
            assert await until(stream, "lines") == ["ready"]
        os.close(file)

    asyncio.run(main())


def test_lines_of_logs_are_plain_text() -> None:
    assert clean(b"\x1b]0;title\x07\x1b[1;32mok\x1b[0m\x00 \xff") == "]0;titleok \ufffd".replace(
        "]0;title", "0;title"
    )
    assert len(clean(b"x" * 10_000)) == 2_000
