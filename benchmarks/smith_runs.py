"""From a sentence to an accepted policy on the command line: success, steps and wall clock of whole runs.

Each case is `rpent smith run SENTENCE --environment ENTRY --seed N --json` in a process of its own, offline, with the
settings of the catalog: intake, rewards, training, evaluation, delivery with film and plots. A result is appended to
the JSON lines file as soon as it is known, and what is in there is not run again, unless the entry's settings have
changed since. Several minutes for each case: keep the machine quiet meanwhile.

    python benchmarks/smith_runs.py            # writes benchmarks/results/smith_runs.{jsonl,md}
    python benchmarks/smith_runs.py --entries cartpole reacher --seeds 0 --fresh
    python benchmarks/smith_runs.py --table
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rpent_robosmith.catalog.load import find

RESULTS = Path(__file__).resolve().parent / "results" / "smith_runs.jsonl"
SENTENCES = {
    "cartpole": "balance the pole",
    "pendulum": "swing the pendulum up and keep it upright",
    "fetch-reach": "bring the gripper to the goal",
    "reacher": "bring the fingertip to the target",
}
SEEDS = (0, 1, 2)


def main() -> None:
    """Run what is not known yet, and write the results."""
    options = _options()
    results: Path = options.results
    results.parent.mkdir(parents=True, exist_ok=True)
    cases = [(entry, seed) for entry in options.entries for seed in options.seeds]
    rows = [row for row in read(results) if not (options.fresh and (row["entry"], row["seed"]) in cases)]
    results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    known = {(row["entry"], row["seed"]) for row in rows if row["settings"] == digest(row["entry"])}
    todo = [] if options.table else [case for case in cases if case not in known]
    for number, (entry, seed) in enumerate(todo, 1):
        print(f"{number}/{len(todo)} {entry}, seed {seed} …", flush=True)
        row = run(entry, seed, options)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"  {_line(row)}", flush=True)
    text = table(read(results))
    results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", nargs="*", choices=list(SENTENCES), default=list(SENTENCES))
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS))
    parser.add_argument("--limit-s", type=float, default=3600.0, help="for one run")
    parser.add_argument("--runs-dir", type=Path, help="keep the runs there (default: they are thrown away)")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--fresh", action="store_true", help="run these cases again")
    parser.add_argument("--table", action="store_true", help="only write the table of what is known")
    return parser.parse_args()


def digest(entry: str) -> str:
    """Return what stands for an entry and its sentence: with other settings a result counts no longer."""
    told = SENTENCES.get(entry, "") + find(entry).model_dump_json()
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def read(file: Path) -> list[dict[str, Any]]:
    """Return the rows that are known, the last of each case, in the order of the entries and seeds."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    last = {(row["entry"], row["seed"]): row for row in rows if row["entry"] in SENTENCES}
    entries = list(SENTENCES)
    return sorted(last.values(), key=lambda row: (entries.index(row["entry"]), row["seed"]))


def run(entry: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Run one case and return its row."""
    row: dict[str, Any] = {"entry": entry, "seed": seed, "settings": digest(entry), "problem": ""}
    row |= {
        "load": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    kept = options.runs_dir
    with tempfile.TemporaryDirectory() if kept is None else nullcontext(str(kept)) as folder:
        words = [
            SENTENCES[entry],
            "--environment",
            entry,
            "--seed",
            str(seed),
            "--runs-dir",
            folder,
            "--json",
        ]
        began = time.perf_counter()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "rpent", "smith", "run", *words],
                stdout=subprocess.PIPE,
                timeout=options.limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return row | {"accepted": False, "problem": f"longer than {options.limit_s:.0f} s"}
        row["wall_s"] = round(time.perf_counter() - began, 1)
        return row | _found(done.returncode, done.stdout)


def _found(exit_code: int, stdout: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"exit_code": exit_code, "accepted": False}
    try:
        document = json.loads(stdout)
    except ValueError:
        return found | {"problem": "no JSON document"}
    found["accepted"] = bool(document["accepted"])
    if document["error"] is not None:
        found["problem"] = document["error"]["message"]
    report = Path(document["folder"]) / "eval_report.json"
    return found | (_measured(json.loads(report.read_text())) if report.exists() else {})


def _measured(report: dict[str, Any]) -> dict[str, Any]:
    rates = {name: policy["metrics"]["success_rate"] for name, policy in report["policies"].items()}
    if "trained" not in rates:
        return {}
    interval = report["policies"]["trained"]["intervals"]["success_rate"]
    baseline = max((name for name in rates if name != "trained"), key=lambda name: rates[name])
    trainings = [training for iteration in report["iterations"] for training in iteration["trainings"]]
    return {
        "algorithm": report["algorithm"],
        "reward": report["reward"]["origin"] if report["reward"] else "",
        "success_rate": rates["trained"],
        "low": interval["low"],
        "high": interval["high"],
        "episodes": len(report["seeds"]["evaluation"]),
        "baseline": baseline,
        "baseline_rate": rates[baseline],
        "iterations": len(report["iterations"]),
        "steps": sum(training["steps"] for training in trainings),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the report."""
    lines = [
        "# RoboSmith's runs",
        "",
        "From a sentence to a delivered policy, offline, with the settings of the catalog: `rpent smith run`. Made by "
        "`benchmarks/smith_runs.py`.",
        "",
    ]
    if rows:
        loads = [row["load"] for row in rows]
        lines += [
            f"Python {rows[-1]['python']}, {rows[-1]['cores']} cores, load {min(loads)} to {max(loads)} when runs "
            "began. Success rates with their 95 % intervals; steps of all iterations' trainings, without those that "
            "try rewards; wall clock of the whole run.",
            "",
        ]
    lines += [
        "| environment | runs | accepted | least success rate | median wall clock, s | longest, s |",
        "|---|---|---|---|---|---|",
        *(_summary(entry, mine) for entry in SENTENCES if (mine := [r for r in rows if r["entry"] == entry])),
        "",
        "| environment | seed | accepted | success rate | best baseline | algorithm | iterations | steps | wall, s |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(row) for row in rows),
        "",
    ]
    return "\n".join(lines)


def _summary(entry: str, rows: list[dict[str, Any]]) -> str:
    walls = [row["wall_s"] for row in rows if "wall_s" in row]
    least = min((row.get("success_rate", 0.0) for row in rows), default=0.0)
    middle, longest = (f"{statistics.median(walls):.0f}", f"{max(walls):.0f}") if walls else ("–", "–")
    accepted = sum(row["accepted"] for row in rows)
    return f"| {entry} | {len(rows)} | {accepted} | {least:.0%} | {middle} | {longest} |"


def _row(row: dict[str, Any]) -> str:
    old = "" if row["settings"] == digest(row["entry"]) else " (other settings)"
    said = "yes" if row["accepted"] else f"**no**: {row['problem']}" if row["problem"] else "**no**"
    if "success_rate" not in row:
        return (
            f"| {row['entry']}{old} | {row['seed']} | {said} | – | – | – | – | – | {row.get('wall_s', '–')} |"
        )
    rate = f"{row['success_rate']:.0%} [{row['low']:.0%}, {row['high']:.0%}]"
    return (
        f"| {row['entry']}{old} | {row['seed']} | {said} | {rate} | {row['baseline']}, {row['baseline_rate']:.0%} "
        f"| {row['algorithm']} | {row['iterations']} | {row['steps']:,} | {row['wall_s']} |"
    )


def _line(row: dict[str, Any]) -> str:
    rate = f"{row['success_rate']:.0%}" if "success_rate" in row else row["problem"]
    return f"{'accepted' if row['accepted'] else 'NOT ACCEPTED'}: {rate}, {row.get('wall_s', '–')} s"


if __name__ == "__main__":
    main()
