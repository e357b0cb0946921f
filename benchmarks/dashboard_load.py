"""How the dashboard keeps up: a busy run watched by five browsers, and a long finished run that is opened.

    python benchmarks/dashboard_load.py          # ten minutes; writes benchmarks/results/dashboard_load.{json,md}
    python benchmarks/dashboard_load.py --seconds 60 --no-write

*Load.* A process writes a run at 50 events a second, pictures of two cameras, depth and frames of motions among them
(`dashboard_runs.py`); `rpent dashboard` serves it; five Chromium processes watch its page. Of each text of the planner
(some five a second), *event to screen* is from the time that the event carries to the frame after the one in which its
row was put into the document. A page that was kept waiting draws what is new at once and shows the end; texts that were
off screen by then are counted as passed over. Memory is looked at every five seconds: of the server its resident set,
of the browsers the JavaScript heap after a garbage collection and the number of DOM nodes. Growth is the mean of the
last fifth of the looks less that of the second fifth.

*Opening.* A finished run of 10,000 events is opened in a fresh page: until its last row is on the screen and the
scrubber can be moved.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard_runs import write_run
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import CDPSession, Page, Playwright

RESULTS = Path(__file__).parent / "results"
RATE = 50.0
BROWSERS = 5
LOOK_S = 5.0
LONG = 10_000
BOUND_MS = 200.0
OPEN_BOUND_S = 1.0
GROWTH_MB = 10.0
"""What memory may grow by over the measurement; a leak of 1 kB an event would be 24 MB in the server."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WATCH = """
(() => {
  const seen = (window.__seen = new Map());
  const look = (node) => {
    if (!(node instanceof Element)) return;
    const rows = node.matches(".run-row-text") ? [node] : node.querySelectorAll(".run-row-text");
    for (const row of rows) {
      const turn = /Turn (\\d+):/.exec(row.textContent)?.[1];
      if (!turn || seen.has(turn)) continue;
      seen.set(turn, null);
      requestAnimationFrame(() => setTimeout(() => seen.set(turn, Date.now())));
    }
  };
  new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach(look))).observe(document, {
    childList: true,
    subtree: true,
  });
})();
"""


@contextmanager
def dashboard(output_dir: Path) -> Iterator[tuple[str, int]]:
    """Serve an output directory; yields the address with its token and the process's id."""
    command = [sys.executable, "-m", "rpent", "dashboard", "--output-dir", str(output_dir), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://\S+token=\S+", line):
                yield found.group(0), process.pid
                return
        raise SystemExit("The dashboard did not start.")
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def writer(output_dir: Path, seconds: float) -> Iterator[Path]:
    """Write a run at the rate, in a process of its own; yields its directory once it is there."""
    command = [sys.executable, str(Path(__file__).with_name("dashboard_runs.py")), str(output_dir)]
    before = set(output_dir.iterdir())
    process = subprocess.Popen([*command, "--rate", str(RATE), "--seconds", str(seconds)])
    try:
        while not (made := set(output_dir.iterdir()) - before):
            time.sleep(0.05)
        yield made.pop()
    finally:
        process.terminate()
        process.wait(20)


def open_page(playwright: Playwright, address: str, stack: ExitStack) -> Page:
    """Open the dashboard in a browser process of its own."""
    program = os.environ.get("RPENT_CHROMIUM") or shutil.which("chromium")
    browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
    stack.callback(browser.close)
    page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_url(re.compile(r"^[^?]*$"))
    return page


def resident_mb(pid: int) -> float:
    """Return a process's resident set."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024  # type: ignore[union-attr]


def heap(session: CDPSession) -> tuple[float, int]:
    """Return the JavaScript heap in MB after a collection, and the number of DOM nodes."""
    session.send("HeapProfiler.collectGarbage")
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return found["JSHeapUsedSize"] / 1e6, int(found["Nodes"])


def measure_load(playwright: Playwright, output_dir: Path, seconds: float) -> dict[str, Any]:
    """Watch a busy run with several browsers."""
    looks: list[dict[str, Any]] = []
    with (
        ExitStack() as stack,
        dashboard(output_dir) as (address, pid),
        writer(output_dir, seconds + 20) as run,
    ):
        pages = [open_page(playwright, address, stack) for _ in range(BROWSERS)]
        for page in pages:
            page.goto(f"{page.url.partition('#')[0]}#/run/{run.name}")
            page.wait_for_selector(".run-row-text")
        sessions = [page.context.new_cdp_session(page) for page in pages]
        for session in sessions:
            session.send("Performance.enable")
        began = time.time()
        while time.time() < began + seconds:
            time.sleep(LOOK_S)
            found = [heap(session) for session in sessions]
            looks.append(
                {
                    "server_mb": resident_mb(pid),
                    "heap_mb": max(each[0] for each in found),
                    "nodes": max(each[1] for each in found),
                }
            )
        seen = [dict(page.evaluate("[...window.__seen]")) for page in pages]
        told = {text["turn"]: text["time"] for text in events_of(run) if text["type"] == "text"}
    return {
        "seconds": seconds,
        "events": round(seconds * RATE),
        "latency_ms": latencies(told, seen, began),
        "server_mb": trend([look["server_mb"] for look in looks]),
        "heap_mb": trend([look["heap_mb"] for look in looks]),
        "nodes": {"max": max(look["nodes"] for look in looks)},
    }


def events_of(run: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole events that a run holds so far."""
    for line in (run / "events.jsonl").read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def latencies(told: dict[int, float], seen: list[dict[str, float | None]], began: float) -> dict[str, float]:
    """Return quantiles of event to screen over all browsers, and how many texts never got to a screen."""
    found, missed = [], 0
    for page in seen:
        last = max((int(turn) for turn in page), default=0)
        for turn, written in told.items():
            if written < began or turn > last - 5:
                continue
            at = page.get(str(turn))
            if at is None:
                missed += 1
            else:
                found.append(at - written * 1000)
    cuts = statistics.quantiles(found, n=100)
    return {
        "count": len(found),
        "missed": missed,
        "median": cuts[49],
        "p95": cuts[94],
        "p99": cuts[98],
        "max": max(found),
    }


def trend(values: list[float]) -> dict[str, float]:
    """Return first, last, largest, and the growth from the second to the last fifth."""
    fifth = max(1, len(values) // 5)
    early, late = values[fifth : 2 * fifth] or values, values[-fifth:]
    return {
        "first": values[0],
        "last": values[-1],
        "max": max(values),
        "growth": statistics.mean(late) - statistics.mean(early),
    }


def measure_opening(playwright: Playwright, output_dir: Path, rounds: int = 5) -> dict[str, Any]:
    """Open a long finished run in fresh pages."""
    run = write_run(output_dir / "long", LONG)
    last = [event for event in events_of(run) if event["type"] == "run_ended"]
    assert last
    times = []
    with ExitStack() as stack, dashboard(output_dir) as (address, _):
        page = open_page(playwright, address, stack)
        base = page.url.partition("#")[0]
        for _ in range(rounds):
            page.goto("about:blank")
            started = time.perf_counter()
            page.goto(f"{base}#/run/{run.name}", wait_until="commit")
            page.wait_for_selector(".run-verdict")
            page.wait_for_selector("input[type=range]:not([disabled])")
            times.append(time.perf_counter() - started)
    return {"events": LONG, "seconds": times, "median": statistics.median(times)}


def to_markdown(result: dict[str, Any]) -> str:
    """Return the result as a page."""
    load, opening = result["load"], result["opening"]
    latency, server, heap_mb = load["latency_ms"], load["server_mb"], load["heap_mb"]
    rows = [
        (f"event to screen, median of {latency['count']}", f"{latency['median']:.0f} ms", f"{BOUND_MS:g} ms"),
        ("… 95th percentile", f"{latency['p95']:.0f} ms", ""),
        ("… 99th percentile", f"{latency['p99']:.0f} ms", ""),
        ("texts passed over", f"{latency['missed']}", ""),
        ("server, resident: at first, at last, growth", _memory(server), f"{GROWTH_MB:g} MB"),
        ("browser, heap after a collection: at first, at last, growth", _memory(heap_mb), ""),
        ("browser, DOM nodes at most", f"{load['nodes']['max']}", ""),
        (
            f"a finished run of {opening['events']:,} events opens in, median of {len(opening['seconds'])}",
            f"{opening['median']:.2f} s",
            f"{OPEN_BOUND_S:g} s",
        ),
    ]
    lines = [
        "# The dashboard under load",
        "",
        f"Written by `python benchmarks/dashboard_load.py`. Python {result['python']}, {result['cpus']} cores,",
        f"software rendering; the writer, the server and {BROWSERS} browsers share them.",
        "",
        f"A run of {RATE:g} events a second with pictures, for {load['seconds']:g} s, in {BROWSERS} browsers:",
        "",
        "| | measured | bound |",
        "|---|---|---|",
        *(f"| {what} | {measured} | {bound} |" for what, measured, bound in rows),
        "",
    ]
    return "\n".join(lines)


def _memory(values: dict[str, float]) -> str:
    return f"{values['first']:.1f}, {values['last']:.1f}, {values['growth']:+.1f} MB"


def main() -> int:
    """Measure, write the results, and return 1 when a bound is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rpent-dashboard-") as folder, sync_playwright() as playwright:
        busy, long = Path(folder) / "busy", Path(folder) / "long"
        busy.mkdir()
        long.mkdir()
        result = {
            "python": platform.python_version(),
            "cpus": os.cpu_count(),
            "opening": measure_opening(playwright, long),
            "load": measure_load(playwright, busy, options.seconds),
        }
    text = to_markdown(result)
    print(text)
    if not options.no_write:
        (RESULTS / "dashboard_load.json").write_text(json.dumps(result, indent=2) + "\n")
        (RESULTS / "dashboard_load.md").write_text(text)
    latency = result["load"]["latency_ms"]
    good = (
        latency["median"] < BOUND_MS and not latency["missed"] and result["opening"]["median"] < OPEN_BOUND_S
    )
    return 0 if good and result["load"]["server_mb"]["growth"] < GROWTH_MB else 1


if __name__ == "__main__":
    raise SystemExit(main())
