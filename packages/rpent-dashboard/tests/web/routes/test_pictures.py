import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rpent.runs.pictures import encode_depth


@pytest.fixture
def run(make_run: Callable[..., Path]) -> Path:
    return make_run()


def test_a_picture_by_its_hash_may_be_kept_for_ever(serve: Any, run: Path) -> None:
    data = (run / "steps/0001/table.jpg").read_bytes()
    known = hashlib.sha256(data).hexdigest()
    answer = serve.client.get(f"/api/runs/{run.name}/pictures/{known}/steps/0001/table.jpg")
    assert (answer.content, answer.headers["content-type"]) == (data, "image/jpeg")
    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_a_picture_without_a_hash_is_asked_for_again(serve: Any, run: Path) -> None:
    path = f"/api/runs/{run.name}/pictures/-/steps/0001/table.jpg"
    answer = serve.client.get(path)
    assert answer.headers["cache-control"] == "private, no-cache"
    again = serve.client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    (run / "steps/0001/table.jpg").write_bytes(b"\xff\xd8\xffother")
    assert serve.client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 200


@pytest.mark.parametrize("known", ["x", "A" * 64, "0" * 63, "--"])
def test_no_hash_at_all_is_refused(serve: Any, run: Path, known: str) -> None:
    assert serve.client.get(f"/api/runs/{run.name}/pictures/{known}/steps/0001/table.jpg").status_code == 422


def test_depth_in_colours(serve: Any, run: Path) -> None:
    depth = np.linspace(0.5, 1.5, 64, dtype=np.float32).reshape(8, 8)
    (run / "steps/0000/depth_table.png").write_bytes(encode_depth(depth))
    path = f"/api/runs/{run.name}/depth/0/table"
    answer = serve.client.get(path)
    assert answer.headers["content-type"] == "image/png"
    near, far = map(float, answer.headers["x-depth-range-m"].split(","))
    assert 0.5 <= near < far <= 1.5
    assert serve.client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    fixed = serve.client.get(path, params={"near": 0.2, "far": 3})
    assert fixed.headers["x-depth-range-m"] == "0.200,3.000"
    assert fixed.headers["etag"] != answer.headers["etag"]


@pytest.mark.parametrize("values", [{"near": "nan"}, {"far": -1}, {"near": "inf"}])
def test_depth_between_no_distances_is_refused(serve: Any, run: Path, values: dict) -> None:
    (run / "steps/0000/depth_table.png").write_bytes(encode_depth(np.ones((4, 4), np.float32)))
    assert serve.client.get(f"/api/runs/{run.name}/depth/0/table", params=values).status_code == 422
