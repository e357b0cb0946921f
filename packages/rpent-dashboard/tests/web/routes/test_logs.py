import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("options", "headers", "expected"),
    [
        ({}, {}, ["one", "two", "three"]),
        ({"tail": 1}, {}, ["three"]),
        ({"tail": 0}, {}, None),
        ({"from": 4}, {}, ["two", "three"]),
        ({"from": 0}, {"Last-Event-ID": "8"}, ["three"]),
    ],
)
def test_the_lines_of_a_log(
    serve: Any, make_run: Callable[..., Path], options: dict, headers: dict, expected: list[str] | None
) -> None:
    run = make_run()
    (run / "logs/env.log").write_text("one\ntwo\nthree\n")
    answer = serve.client.get(f"/api/runs/{run.name}/logs/env/stream", params=options, headers=headers)
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert data[-1] == "{}"
    assert (json.loads(data[0]) if len(data) > 1 else None) == expected


def test_a_service_without_a_log_has_no_lines(serve: Any, make_run: Callable[..., Path]) -> None:
    answer = serve.client.get(f"/api/runs/{make_run().name}/logs/vla/stream")
    assert "event: lines" not in answer.text
    assert "event: end" in answer.text
