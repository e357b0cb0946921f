"""A run in which everything that others wrote is an attack: pages show it as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rpent.run.execute import execute
from rpent.run.request import RunRequest
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry

pytestmark = pytest.mark.browser

PAYLOAD = " ".join(
    (
        "<script>window.hit=1</script>",
        "<img src=x onerror=window.hit=1>",
        "\"><svg onload=window.hit=1>'><iframe srcdoc='<script>parent.hit=1</script>'>",
        "[link](javascript:window.hit=1) ![picture](javascript:window.hit=1)",
        "<a href=javascript:window.hit=1>link</a> javascript:window.hit=1",
        "{{constructor.constructor('window.hit=1')()}} ${window.hit=1}",
        "`<script>window.hit=1</script>`\n```html\n<script>window.hit=1</script>\n```\n# <script>window.hit=1</script>",
        "\x1b[31m \u202e \u0000 \udc00 ]]>",
    )
)
KEPT = {
    "type",
    "path",
    "sha256",
    "media_type",
    "status",
    "state",
    "stage",
    "level",
    "origin",
    "call_id",
    "reason",
}
KEPT |= {"planner_status", "service"}
"""Fields whose values choose what a reader does; anything else is text."""
INSPECT = """() => {
    const all = [...document.querySelectorAll("*")];
    const attributes = all.flatMap((node) => [...node.attributes].map((found) => [found.name, found.value]));
    return {
        hit: window.hit,
        elements: all.map((node) => node.localName).filter((name) => ["iframe", "object", "embed"].includes(name)),
        scripts: [...document.scripts].filter((node) => !node.src.startsWith(location.origin + "/static/")).length,
        handlers: attributes.filter(([name]) => name.startsWith("on")),
        links: attributes.filter(([name, value]) => ["href", "src", "action", "formaction"].includes(name)
            && !/^(#|\\/|https?:)/.test(value)),
        text: document.body.innerText,
    };
}"""


def hostile(value: Any, key: str = "") -> Any:
    """Add the attack to every text."""
    if isinstance(value, dict):
        changed = {name: hostile(entry, name) for name, entry in value.items()}
        if key in {"data", "arguments", "state", "config"}:
            changed["<script>window.hit=1</script>"] = PAYLOAD
            changed["__proto__"] = {"hit": PAYLOAD}
        return changed
    if isinstance(value, list):
        return [hostile(entry, key) for entry in value]
    return value if key in KEPT or not isinstance(value, str) else f"{value} {PAYLOAD}"


def more(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events of every kind that the run has none of."""
    last = events[-1]["time"]
    kinds: list[dict[str, Any]] = [
        {"type": "thinking", "turn": 1, "text": "hm"},
        {"type": "user_message", "text": "do", "origin": "user", "interrupt": True},
        {"type": "messages_delivered", "count": 1},
        {"type": "awaiting_user", "turn": 1},
        *({"type": "notice", "text": level, "level": level} for level in ("info", "warning", "error")),
        {"type": "recovered", "service": "env", "step": 1, "detail": "again"},
        {"type": "run_resumed", "step": 1, "planner": "other", "options": {"model": "x"}},
        {"type": "attempt_started", "attempt": 1, "step": 1},
        {"type": "attempt_ended", "attempt": 1, "benchmark_success": False, "lesson": "less", "env_steps": 3},
        {"type": "<script>window.hit=1</script>", "text": "of the future"},
        {"type": "__proto__", "text": "of the future"},
        {"type": "constructor", "text": "of the future"},
        {"type": "service", "service": PAYLOAD, "state": PAYLOAD, "detail": "x"},
        {"type": "tool_called", "turn": PAYLOAD, "call_id": PAYLOAD, "name": "x", "arguments": PAYLOAD},
        {"type": "tool_returned", "call_id": PAYLOAD, "name": "x", "ok": False, "data": {"error": "x"}, "text": "x",
         "images": [{"name": "x", "caption": "x", "path": "javascript:window.hit=1", "sha256": PAYLOAD}]},
        {"type": "text", "turn": {"<b>": 1}, "text": ["no", "text"]},
        *({"type": name} for name in ("text", "thinking", "user_message", "notice", "tool_called", "tool_returned",
            "tool_progress", "step", "frame", "usage", "service", "stage", "session_ended", "run_resumed", "turn",
            "attempt_started", "attempt_ended", "prompts", "recovered")),
    ]  # fmt: skip
    return [{"seq": len(events) + n, "time": last, **event} for n, event in enumerate(kinds)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the fake robot."""
    folder = tmp_path_factory.mktemp("recorded")
    request = RunRequest(
        robot="fake",
        planner="scripted",
        planner_config={"calls": solution()},
        record_video=False,
        output_dir=folder,
    )
    return execute(request, registry=FakeRegistry()).run_dir


@pytest.fixture
def output_dir(tmp_path, recorded):
    """Where the run is, turned into an attack."""
    run = tmp_path / "runs" / "hostile"
    run.parent.mkdir()
    recorded_copy(recorded, run)
    events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    events = [*events[:-1], *more(events), events[-1]]
    lines = [json.dumps(hostile(event)) for event in events]
    lines.insert(5, f"a broken line {json.dumps(PAYLOAD)}")
    (run / "events.jsonl").write_text("\n".join(lines) + "\n")
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(hostile(manifest)))
    with (run / "logs" / "env.log").open("a", errors="replace") as log:
        log.write(PAYLOAD.replace("\n", " ") + "\n")
    return run.parent


def recorded_copy(source: Path, target: Path) -> None:
    """Copy a run."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            place.write_bytes(path.read_bytes())


def harmless(page) -> str:
    """Return what a page shows, having seen that nothing in it runs."""
    seen = page.evaluate(INSPECT)
    text = seen.pop("text")
    assert seen == {"hit": None, "elements": [], "scripts": 0, "handlers": [], "links": []}
    assert page.problems == []
    return text


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_run_page_shows_attacks_as_text(serve_with, new_page, output_dir, screenshot, locale):
    page = new_page(serve_with(output_dir=output_dir), locale=locale)
    page.goto(page.url.split("#")[0] + "#/run/hostile")
    page.get_by_text("<script>window.hit=1</script>").first.wait_for()
    for control in page.locator(
        "main details summary, main [role=tab], main button[aria-expanded=false]"
    ).all()[:60]:
        if control.is_visible():
            control.click(timeout=2000)
    page.wait_for_timeout(500)
    assert "<img src=x onerror=window.hit=1>" in harmless(page)
    screenshot(page, f"hostile-run-{locale}")


@pytest.mark.parametrize(
    "address", ["#/", "#/compare/hostile/hostile", "#/session", "#/launch", "#/run/%3Cscript%3E", "#/%3Cb%3E"]
)
def test_other_pages_show_attacks_as_text(serve_with, new_page, output_dir, address):
    page = new_page(serve_with(output_dir=output_dir))
    page.goto(page.url.split("#")[0] + address)
    page.wait_for_selector("#main")
    page.wait_for_timeout(1000)
    harmless(page)
