"""Start-up of the command line: CPU time of `rpent --help` against `import click`, measured in one run.

Both run in fresh processes, in turn, so that a busy machine slows both; the result is the ratio of medians.
Ten plugins are installed meanwhile. `python benchmarks/cli_startup.py` prints the table, writes it to
benchmarks/results/cli_startup.json, and exits with 1 when a budget is exceeded.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from rpent.testing.site import PluginSite

ROUNDS = 21
RESULT = Path(__file__).parent / "results" / "cli_startup.json"
BASELINE = "import click"
CASES = {
    BASELINE: "import click",
    "rpent --help": "from rpent.cli import main; main(['--help'])",
    "rpent --version": "from rpent.cli import main; main(['--version'])",
    "rpent run --help": "from rpent.cli import main; main(['run', '--help'])",
}
BUDGETS = {"rpent --help": 1.3, "rpent run --help": 2.2}
"""Highest ratio to `import click`: the first is DESIGN.md's, the second the plugin study's."""
COUNT = "\nimport sys, atexit\natexit.register(lambda: print(len(sys.modules), file=sys.stderr))\n"


def install_ten(folder: Path) -> None:
    """Put ten robots on the import path; whoever imports one pays for numpy and for an error."""
    site = PluginSite(folder)
    for number in range(10):
        site.add_robot(f"robot{number}", source="import numpy\nraise RuntimeError('imported')")


def cpu_seconds(program: str, environ: dict[str, str]) -> float:
    """Run a program in a fresh process; returns its user plus system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], env=environ, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def modules(program: str, environ: dict[str, str]) -> int:
    """Return how many modules a program has loaded when it ends."""
    command = [sys.executable, "-c", COUNT + program]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1]) - 1  # atexit is the measurement's own


def measure(environ: dict[str, str]) -> dict[str, dict[str, float]]:
    """Run all cases in turn, after a round that compiles the bytecode."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for round_number in range(ROUNDS + 1):
        for name, program in CASES.items():
            elapsed = cpu_seconds(program, environ)
            if round_number:
                times[name].append(elapsed)
    base = statistics.median(times[BASELINE])
    return {
        name: {
            "cpu_ms": round(statistics.median(values) * 1000, 1),
            "ratio": round(statistics.median(values) / base, 3),
            "modules": modules(CASES[name], environ),
        }
        for name, values in times.items()
    }


def main() -> int:
    """Measure, print, record; 1 when a budget is exceeded."""
    with tempfile.TemporaryDirectory() as folder:
        install_ten(Path(folder))
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        found = measure({**environ, "PYTHONPATH": folder})
    print(f"{'case':<18} {'CPU ms':>8} {'ratio':>7} {'budget':>7} {'modules':>8}")
    for name, row in found.items():
        budget = f"{BUDGETS[name]:.2f}" if name in BUDGETS else ""
        print(f"{name:<18} {row['cpu_ms']:>8.1f} {row['ratio']:>7.2f} {budget:>7} {row['modules']:>8}")
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps({"rounds": ROUNDS, "budgets": BUDGETS, "cases": found}, indent=2) + "\n")
    return int(any(found[name]["ratio"] > budget for name, budget in BUDGETS.items()))


if __name__ == "__main__":
    sys.exit(main())
