import ast
import subprocess
import sys
from pathlib import Path

from rpent import api


def test_every_name_can_be_imported():
    for name in api.__all__:
        assert getattr(api, name) is not None


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(api.__file__).read_text())
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {alias.name for node in guarded.body for alias in node.names}
    assert imported == set(api.__all__) == set(api._HOME_OF)


def test_specs_and_hooks_stay_light():
    program = "import sys\nfrom rpent.api import RobotSpec, ServiceSpec, hookimpl\nprint(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "pydantic", "click", "anyio"} & set(loaded)
