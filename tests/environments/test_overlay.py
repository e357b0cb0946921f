"""The agent's rpent distributions in another interpreter, from editable installs and from installed files."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import importlib_metadata
import pytest
from rpent.environments.distributions import LinkedDistribution, foreign_requirements, linked_distributions
from rpent.environments.interpreter import linked_interpreter
from rpent.environments.overlay import overlay
from rpent.errors import EnvironmentSetupError

LOOK = """
import importlib.metadata as metadata, json, rpent, rpent_robot_libero
points = [point for point in metadata.entry_points(group="rpent.robots") if point.name == "libero"]
print(json.dumps({"core": metadata.version("rpent-core"), "robots": [point.value for point in points],
                  "file": rpent.__file__, "libero": rpent_robot_libero.__file__}))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))


def installed(tmp_path, name="rpent-lamp", module="rpent_lamp", requires=("attrs>=20",)):
    """A distribution as an installer leaves it: files, a RECORD, no source folder."""
    site = tmp_path / "site"
    (site / module).mkdir(parents=True)
    (site / module / "__init__.py").write_text("BRIGHTNESS = 7\n")
    (site / f"{module}_single.py").write_text("")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        "Version: 1.0",
        *(f"Requires-Dist: {r}" for r in requires),
    ]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    (info / "entry_points.txt").write_text(f"[rpent.robots]\nlamp = {module}.plugin\n")
    files = [f"{module}/__init__.py", f"{module}_single.py", f"{info.name}/METADATA", "../../bin/lamp"]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    return site


def test_an_interpreter_with_nothing_installed_sees_the_agents_distributions(tmp_path):
    """The bare interpreter under the environment: it has no rpent, no pluggy, nothing."""
    bare = (
        Path(sysconfig.get_config_var("BINDIR")) / f"python{sys.version_info.major}.{sys.version_info.minor}"
    )
    interpreter = linked_interpreter(str(bare), "rpent-robot-libero")
    answer = subprocess.run(
        [interpreter.python, "-c", LOOK],
        env=interpreter.environ(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    seen = json.loads(answer)
    assert seen["core"] == importlib_metadata.version("rpent-core")
    assert seen["robots"] == ["rpent_robot_libero.plugin"]
    assert Path(seen["file"]).is_relative_to(tmp_path / "cache" / "overlays")


def test_the_rest_of_the_agents_packages_stays_out_of_sight(tmp_path):
    names = {path.name for path in overlay(linked_distributions("rpent-robot-libero")).iterdir()}
    assert {"rpent", "rpent_robot_libero"} <= names
    assert not {"numpy", "pytest", "robosuite"} & names


def test_a_package_without_an_init_file_is_linked_as_well(tmp_path, monkeypatch):
    site = installed(tmp_path, name="rpent-lantern", module="rpent_lantern")
    (site / "rpent_lantern" / "__init__.py").rename(site / "rpent_lantern" / "plugin.py")
    monkeypatch.syspath_prepend(str(site))
    linked = [item for item in linked_distributions("rpent-lantern") if item.name == "rpent-lantern"]
    assert (overlay(linked) / "rpent_lantern").resolve() == site / "rpent_lantern"


def test_installed_files_are_linked_as_well(tmp_path, monkeypatch):
    site = installed(tmp_path)
    monkeypatch.syspath_prepend(str(site))
    linked = [item for item in linked_distributions("rpent-lamp") if item.name == "rpent-lamp"]
    folder = overlay(linked)
    assert (folder / "rpent_lamp").resolve() == site / "rpent_lamp"
    assert (folder / "rpent_lamp_single.py").resolve() == site / "rpent_lamp_single.py"
    assert (folder / "rpent_lamp-1.0.dist-info").resolve() == site / "rpent_lamp-1.0.dist-info"


def test_the_same_distributions_share_one_overlay():
    assert overlay(linked_distributions()) == overlay(linked_distributions())


def test_core_and_every_transport_are_always_linked():
    names = {item.name for item in linked_distributions()}
    assert {"rpent-core", "rpent-transport-http", "rpent-transport-zmq"} <= names
    assert "rpent-robot-libero" not in names


def test_requirements_from_elsewhere_come_from_the_metadata(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(
        str(installed(tmp_path, requires=("attrs>=20", "rpent-core>=0.1", "torch; extra == 'gpu'")))
    )
    linked = linked_distributions("rpent-lamp")
    wanted = foreign_requirements(linked)
    assert "attrs>=20" in wanted
    assert any(requirement.startswith("pyzmq") for requirement in wanted)
    assert not any(requirement.startswith(("rpent", "torch")) for requirement in wanted)


def test_a_missing_distribution_is_one_sentence():
    with pytest.raises(
        EnvironmentSetupError, match="`rpent-not-there` is needed by a service and not installed"
    ):
        linked_distributions("rpent-not-there")


def test_a_module_that_is_gone_is_one_sentence(tmp_path, monkeypatch):
    site = installed(tmp_path, name="rpent-ghost", module="rpent_ghost")
    monkeypatch.syspath_prepend(str(site))
    ghost = LinkedDistribution(importlib_metadata.Distribution.from_name("rpent-ghost"))
    (site / "rpent_ghost" / "__init__.py").unlink()
    (site / "rpent_ghost").rmdir()
    with pytest.raises(EnvironmentSetupError, match="`rpent_ghost` of `rpent-ghost` cannot be found"):
        ghost.modules()


def test_an_unwritable_cache_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(EnvironmentSetupError, match="cannot be written") as caught:
        overlay(linked_distributions())
    assert "RPENT_CACHE_DIR" in caught.value.hint
