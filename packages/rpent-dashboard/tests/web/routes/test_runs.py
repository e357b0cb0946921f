import fcntl
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from rpent.specs import DashboardSpec, FrameChannel, RobotSpec
from rpent.testing.registry import FakeRegistry

MakeRun = Callable[..., Path]


def detail(served: Any, key: str) -> dict[str, Any]:
    answer = served.client.get(f"/api/runs/{key}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def codes(served: Any, key: str) -> list[str]:
    return [notice["code"] for notice in detail(served, key)["notices"]]


def streamed(client: httpx.Client, path: str, **options: Any) -> list[tuple[str, Any, str]]:
    """Read a stream until `end`."""
    found = []
    with client.stream("GET", path, **options) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        fields: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            fields[name] = value
            if not line and "event" in fields:
                found.append((fields["event"], json.loads(fields["data"]), fields.get("id", "")))
                fields = {}
    return found


def watching() -> bool:
    return any(thread.name == "rpent-dashboard-watch" for thread in threading.enumerate())


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_details_of_a_run(serve: Any, make_run: MakeRun) -> None:
    run = make_run(manifest={"privileged_perceptors": ["sim"], "problems": ["The video is short."]})
    (run / "logs/env.log").write_text("ready\n")
    (run / "recipe.jsonl").write_text("{}\n")
    found = detail(serve, run.name)
    assert found["row"]["outcome"] == "success"
    assert found["manifest"]["versions"] == {"python": "3.11"}
    assert [notice["code"] for notice in found["notices"]] == ["privileged", "problem"]
    assert found["dashboard"] == {
        "frames": [{"camera": "table", "label": "table", "role": "fixed"}],
        "service_labels": {},
        "installed": False,
    }
    assert found["files"].keys() == {"recipe.jsonl", "events.jsonl", "run.json"}
    assert found["logs"] == [{"service": "env", "size": 6}]
    assert (found["live"], found["hosted"]) == (False, False)


def test_what_an_installed_robot_says_of_its_cameras(serve_with: Any, make_run: MakeRun) -> None:
    spec = RobotSpec(
        name="fake",
        summary="A robot.",
        robot="",
        config="",
        dashboard=DashboardSpec(
            frames=(FrameChannel(camera="table", label="Table"), FrameChannel(camera="hand", role="wrist")),
            service_labels=(("env", "World"),),
        ),
    )
    run = make_run()
    state = {"current": "t1", "tasks": [{"id": "t1", "run": run.name}]}
    specs = FakeRegistry({"robots": {"fake": spec}})
    host = SimpleNamespace(registry=specs, state=lambda: state, one_session=False)
    found = detail(serve_with(hosted=host), run.name)
    assert found["dashboard"] == {
        "frames": [
            {"camera": "table", "label": "Table", "role": "fixed"},
            {"camera": "hand", "label": "hand", "role": "wrist"},
        ],
        "service_labels": {"env": "World"},
        "installed": True,
    }
    assert found["hosted"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"manifest": b"{"}, ["damaged_manifest"]),
        ({"manifest": None}, ["damaged_manifest"]),
        ({"manifest": {"format": None}}, ["older_version"]),
        ({"manifest": {"format": 0, "robot": "fake"}}, ["older_version"]),
        ({"manifest": {"format": 2, "hologram": {}}}, ["newer_version"]),
        ({"events": None}, ["no_events"]),
        ({"events": []}, ["no_events"]),
        ({"events": [{"type": "turn"}]}, ["no_pictures"]),
        ({"events": [{"type": "turn"}], "manifest": {"outcome": None}}, ["no_pictures", "interrupted"]),
        ({"events": [], "manifest": b"", "lines": b"\x00\xff\x00"}, ["damaged_manifest", "no_pictures"]),
    ],
)
def test_notices_of_runs_that_are_not_as_they_should_be(
    serve: Any, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, options: dict, expected: list[str]
) -> None:
    monkeypatch.setattr("rpent_dashboard.reading.liveness.GRACE_S", 0.0)
    run = make_run(**options)
    assert codes(serve, run.name) == expected
    assert streamed(serve.client, f"/api/runs/{run.name}/stream")[-1][0] == "end"
    assert serve.client.get("/api/runs").json()["total"] == 1


@pytest.mark.parametrize("depth", [100, 195, 200, 250, 300, 450, 480, 700, 5000])
def test_a_run_json_that_is_nested_deeply(serve: Any, make_run: MakeRun, depth: int) -> None:
    nest = b"[" * depth + b"]" * depth
    run = make_run(manifest=b'{"format": 1, "created": 5, "robot": {"name": "fake"}, "x": ' + nest + b"}")
    assert detail(serve, run.name)["row"]["robot"] == "fake"


def test_the_stream_of_a_run(serve: Any, make_run: MakeRun) -> None:
    run = make_run()
    path = f"/api/runs/{run.name}/stream"
    (kind, events, identity), end = streamed(serve.client, path)
    assert (kind, end[0]) == ("events", "end")
    assert [event["seq"] for event in events] == list(range(6))
    second = events[1]["offset"]
    rest = streamed(serve.client, path, params={"from": second})
    assert [event["seq"] for event in rest[0][1]] == [1, 2, 3, 4, 5]
    rest = streamed(serve.client, path, params={"from": 0}, headers={"Last-Event-ID": str(second)})
    assert [event["seq"] for event in rest[0][1]] == [1, 2, 3, 4, 5]
    assert streamed(serve.client, path, headers={"Last-Event-ID": identity}) == [("end", {}, "")]
    assert len(streamed(serve.client, path, headers={"Last-Event-ID": "<script>"})[0][1]) == 6


@pytest.mark.parametrize("start", ["-1", "x", "1e3", "99999999999999999999"])
def test_a_stream_from_no_offset_is_refused(serve: Any, make_run: MakeRun, start: str) -> None:
    answer = serve.client.get(f"/api/runs/{make_run().name}/stream", params={"from": start})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"]


def test_one_event_whole(serve: Any, make_run: MakeRun) -> None:
    long = "a" * 50_000
    run = make_run(
        events=[{"type": "turn"}, {"type": "text", "text": long}], lines=b'nonsense\n{"x": NaN}\n{"torn'
    )
    events = streamed(serve.client, f"/api/runs/{run.name}/stream")[0][1]
    assert events[1]["cut"]
    path = f"/api/runs/{run.name}/events"
    assert serve.client.get(f"{path}/0").json() == {"type": "turn"}
    assert serve.client.get(f"{path}/{events[1]['offset']}").json()["text"] == long
    broken = serve.client.get(f"{path}/{events[2]['offset']}").json()
    assert (broken["type"], broken["text"], broken["line"]) == ("broken", "nonsense", 3)
    assert serve.client.get(f"{path}/{events[3]['offset']}").json() == {"x": None}
    for offset in (5, events[3]["offset"] + 11, 10**9):
        assert serve.client.get(f"{path}/{offset}").status_code == 404


def test_files(serve: Any, make_run: MakeRun) -> None:
    run = make_run()
    (run / "episode.mp4").write_bytes(bytes(range(200)))
    path = f"/api/runs/{run.name}/files/episode.mp4"
    whole = serve.client.get(path)
    assert (whole.headers["content-type"], len(whole.content)) == ("video/mp4", 200)
    assert "content-disposition" not in whole.headers
    part = serve.client.get(path, headers={"Range": "bytes=10-19"}, params={"download": 1})
    assert (part.status_code, part.content) == (206, bytes(range(10, 20)))
    assert part.headers["content-disposition"] == f'attachment; filename="{run.name}_episode.mp4"'


def test_a_file_that_grows_while_it_is_sent(serve: Any, make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None}, events=[{"type": "text", "text": "x" * 1000}] * 3000)
    events = run / "events.jsonl"
    size = events.stat().st_size
    with serve.client.stream("GET", f"/api/runs/{run.name}/files/events.jsonl") as answer:
        with events.open("ab") as file:
            file.write(b'{"type": "turn"}\n' * 1000)
        assert len(answer.read()) == size


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "..",
        "%2e%2e",
        "..%2fsecret",
        "%2fetc%2fpasswd",
        "RUN/files/.lock",
        "RUN/files/..%2f..%2fsecret",
        "RUN/files/%2fetc%2fpasswd",
        "RUN/files/run.json%00",
        "RUN/pictures/-/run.json",
        "RUN/pictures/-/..%2f..%2fsecret.jpg",
        "RUN/pictures/-/steps/../../secret.jpg",
        "RUN/pictures/-/%2fetc%2fpasswd.jpg",
        "RUN/pictures/" + "0" * 64 + "/steps/0000/table.jpg",
        "RUN/depth/0/..%2f..%2fx",
        "RUN/depth/0/nothing",
        "RUN/logs/..%2fsecret/stream",
        "nothing/stream",
        "nothing/logs/env/stream",
        "nothing/files/run.json",
    ],
)
def test_what_is_not_there(serve: Any, make_run: MakeRun, tmp_path: Path, path: str) -> None:
    run = make_run()
    for secret in (
        tmp_path / "secret",
        tmp_path / "secret.jpg",
        run.parent / "secret.jpg",
        tmp_path / "secret.log",
    ):
        secret.write_text("a secret")
    answer = serve.client.get(f"/api/runs/{path.replace('RUN', run.name)}")
    assert answer.status_code in {400, 404}
    assert "secret" not in answer.text.replace("secret.jpg", "")


def test_nobody_without_the_cookie_reads(serve: Any, make_run: MakeRun) -> None:
    run = make_run()
    for path in ("", f"/{run.name}", f"/{run.name}/stream", f"/{run.name}/files/run.json"):
        assert httpx.get(f"{serve.url}/api/runs{path}", trust_env=False).status_code == 401


def test_a_reader_that_goes_away_is_forgotten(serve: Any, make_run: MakeRun) -> None:
    run = make_run(manifest={"outcome": None}, events=[])
    file = os.open(run / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    with serve.client.stream("GET", f"/api/runs/{run.name}/stream") as answer:
        lines = answer.iter_lines()
        next(lines)
        wait_until(watching)
    wait_until(lambda: not watching())
    os.close(file)
