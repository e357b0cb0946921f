"""Start-up is held by module counts, with ten plugins installed; the time is in benchmarks/cli_startup.py."""

import json
import subprocess
import sys

import pytest

FORBIDDEN = {"numpy", "pydantic", "pydantic_ai", "mujoco", "torch", "fastapi", "anyio", "PIL", "httpx", "zmq"}

COUNT = """
import io, sys
from contextlib import redirect_stdout
from rpent.cli import main
text = io.StringIO()
with redirect_stdout(text):
    try:
        main(sys.argv[1:])
    except SystemExit as ended:
        code = ended.code
modules = sorted(sys.modules)
import json  # counted by nobody: the command is over
print(json.dumps({"code": code, "text": text.getvalue(), "modules": modules}))
"""


@pytest.fixture
def ten_plugins(plugin_site):
    """Ten robots that would bring the whole of numpy with them, if anybody imported them."""
    for number in range(10):
        plugin_site.add_robot(
            f"robot{number}", source="import numpy, pydantic\nraise RuntimeError('imported')"
        )
    plugin_site.add(
        "rpent-wall",
        entry_points={"rpent.frontends": {"wall": "wall_plugin"}},
        modules={"wall_plugin.py": "import numpy\nraise RuntimeError('imported')"},
    )


def measure(*args):
    command = [sys.executable, "-c", COUNT, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("args", "budget"),
    [
        (["--help"], 120),
        (["--version"], 120),
        (["run", "--help"], 180),
        (["resume", "--help"], 140),
        (["plugins", "--help"], 120),
    ],
    ids=["help", "version", "run-help", "resume-help", "plugins-help"],
)
def test_module_budget(ten_plugins, args, budget):
    found = measure(*args)
    assert found["code"] == 0
    assert not FORBIDDEN & set(found["modules"])
    assert len(found["modules"]) <= budget, found["modules"]


def test_run_help_names_all_ten(ten_plugins):
    text = measure("run", "--help")["text"]
    assert all(f"robot{number}" in text for number in range(10))


def test_one_robots_options_bring_in_no_other_plugin(ten_plugins, plugin_site):
    plugin_site.add_robot("walker")
    found = measure("run", "--robot", "walker", "--help")
    assert found["code"] == 0
    assert not {"numpy", "mujoco", "torch", "rpent_robot_robot0"} & set(found["modules"])
