"""Managed environments, built for real by uv from a small local project, so that no index is asked."""

import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from rpent.cli import main
from rpent.environments import catalog
from rpent.environments.catalog import DeclaredEnvironment
from rpent.environments.inventory import inventory
from rpent.environments.lock import fingerprint
from rpent.environments.managed import ManagedEnvironment
from rpent.environments.uv import run_uv
from rpent.errors import EnvironmentSetupError, ExitCode
from rpent.specs import EnvironmentSpec, ServiceSpec

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def wheel(folder, name, version):
    """Write the smallest wheel that there is."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        # Of another length in each version: bytecode is renewed by time and size, and a second is long here.
        padding = "#" * int(float(version))
        archive.writestr(f"{name}.py", f"VERSION = {version!r}  {padding}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(
            f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    return path


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """An environment with one tiny simulator; what core requires is left out, to stay off the network."""
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("rpent.environments.lock.foreign_requirements", lambda linked: [])
    monkeypatch.setattr("rpent.environments.verify._CORE", "pass")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "tinysim", "1.0")
    wheel(wheels, "tinysim", "2.0")
    return EnvironmentSpec(
        name="tiny",
        python=PYTHON,
        requirements=("tinysim==1.0",),
        index_args=("--no-index", "--find-links", str(wheels)),
        verify="import tinysim",
        probe="tinysim",
    )


@pytest.fixture
def said():
    return []


def managed(spec):
    return ManagedEnvironment(spec, distribution="rpent-core")


def version_in(environment):
    return subprocess.run(
        [environment.python, "-c", "import tinysim; print(tinysim.VERSION)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_builds_verifies_and_then_has_nothing_to_do(spec, said):
    environment, started = managed(spec), []
    assert environment.sync(say=said.append, start_service=started.append)
    assert version_in(environment) == "1.0"
    assert environment.is_current()
    assert started[0].python == str(environment.python)
    assert any("tiny" in line for line in said)
    assert not environment.sync(say=said.append, start_service=started.append)
    assert len(started) == 1


def test_a_change_of_the_data_rebuilds_it(spec, said):
    managed(spec).sync(say=said.append)
    newer = managed(replace(spec, requirements=("tinysim==2.0",)))
    assert newer.exists()
    assert not newer.is_current()
    assert newer.sync(say=said.append)
    assert version_in(newer) == "2.0"


def test_what_was_interrupted_does_not_count_and_goes_on(spec, said):
    environment = managed(spec)

    def interrupt(interpreter):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.sync(say=said.append, start_service=interrupt)
    assert not environment.exists()
    said.clear()
    assert environment.sync(say=said.append)
    assert not any(line.startswith("Creating") for line in said)


def test_a_verification_that_fails_is_one_sentence_and_no_environment(spec, said):
    environment = managed(replace(spec, verify="import not_in_there"))
    with pytest.raises(EnvironmentSetupError, match="`import not_in_there` fails in it") as caught:
        environment.sync(say=said.append)
    assert "No module named 'not_in_there'" in caught.value.hint
    assert not environment.exists()


def test_a_requirement_that_does_not_exist_shows_what_uv_says(spec, said):
    with pytest.raises(EnvironmentSetupError, match="`uv pip install` failed") as caught:
        managed(replace(spec, requirements=("tinysim==9.0",))).sync(say=said.append)
    assert "tinysim" in caught.value.hint


def test_without_uv_it_is_one_sentence(spec, said, monkeypatch):
    monkeypatch.setenv("RPENT_UV", "/nowhere/uv")
    with pytest.raises(EnvironmentSetupError, match=r"built with uv, but `/nowhere/uv`.* cannot be executed"):
        managed(spec).sync(say=said.append)


def test_an_unwritable_cache_is_one_sentence(spec, said, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(EnvironmentSetupError, match="cannot be written"):
        managed(spec).sync(say=said.append)


def test_the_fingerprint_covers_what_decides_the_content(spec):
    assert fingerprint(spec) == fingerprint(replace(spec, probe="other"))
    for change in ({"python": "3.12"}, {"requirements": ()}, {"overrides": ("a==1",)}, {"excludes": ("a",)}):
        assert fingerprint(replace(spec, **change)) != fingerprint(spec)


def test_a_lock_that_is_missing_is_one_sentence(spec):
    with pytest.raises(EnvironmentSetupError, match=r"`rpent:locks/none.txt` of the environment `tiny`"):
        fingerprint(replace(spec, lock="rpent:locks/none.txt"))


def test_uv_lines_arrive_one_by_one():
    lines = []
    run_uv(["--version"], say=lines.append)
    assert lines[0].startswith("uv ")


@pytest.fixture
def declared(spec, monkeypatch):
    """The command line with this one environment."""
    service = ServiceSpec(name="env", factory="", config="", environment=spec)
    found = {"tiny": DeclaredEnvironment(spec, service, "rpent-core", "tinybot")}
    for place in ("rpent.environments.catalog", "rpent.environments.inventory"):
        monkeypatch.setattr(f"{place}.declared_environments", lambda: found)
    assert catalog.declared_environment("tiny").spec is spec


def rpent(*arguments):
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return caught.value.code


def test_the_commands(declared, capsys):
    assert [row.state for row in inventory()] == ["not built"]
    assert rpent("env", "path", "tiny") == ExitCode.INFRASTRUCTURE
    assert rpent("env", "sync", "tiny", "--no-start") == 0
    assert capsys.readouterr().out.startswith("`tiny` is ready after")
    assert rpent("env", "sync", "tiny") == 0
    assert capsys.readouterr().out == "`tiny` is up to date.\n"
    assert rpent("env", "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["version"] == 1
    assert listed["environments"][0]["state"] == "ready"
    assert rpent("env", "list") == 0
    assert "tiny  ready" in capsys.readouterr().out
    assert rpent("env", "path", "tiny", "--python") == 0
    assert capsys.readouterr().out.endswith("/environments/tiny/venv/bin/python\n")
    assert rpent("env", "remove", "tiny", "--yes") == 0
    assert [row.state for row in inventory()] == ["not built"]
    assert rpent("env", "remove", "tiny", "--yes") == ExitCode.INFRASTRUCTURE


def test_a_command_runs_in_it_with_the_agents_modules(declared, capfd, monkeypatch):
    """In place of this process, which is why a child stands for it here."""
    monkeypatch.setattr(
        os, "execve", lambda program, words, environ: subprocess.run(words, env=environ, check=True)
    )
    code = "import sys, rpent, tinysim; print(tinysim.VERSION, sys.argv[1:])"
    assert rpent("env", "run", "tiny", "python", "-c", code) == ExitCode.INFRASTRUCTURE
    assert capfd.readouterr().err.endswith("Hint: rpent env sync tiny\n")
    assert rpent("env", "sync", "tiny", "--no-start") == 0
    capfd.readouterr()
    assert rpent("env", "run", "tiny", "python", "-c", code, "--help", "-v") == 0
    assert capfd.readouterr().out == "1.0 ['--help', '-v']\n"
    assert rpent("env", "run", "tiny", "no-such-command") == ExitCode.USAGE


def test_the_environment_of_several_distributions_links_them_all(spec, said):
    environment = ManagedEnvironment(spec, distribution="rpent-core", sharing=("rpent-planner-flash",))
    environment.sync(say=said.append)
    linked = {path.name for path in environment.interpreter().overlay.iterdir()}
    assert {"rpent", "rpent_planner_flash"} <= linked


def test_an_environment_of_an_uninstalled_plugin_can_be_removed(spec, said, capsys):
    managed(spec).sync(say=said.append)
    assert {row.name: row.state for row in inventory()}["tiny"] == "unused"
    assert rpent("env", "remove", "tiny", "--yes") == 0


def test_a_name_that_leads_elsewhere_is_refused(capsys, spec):
    assert rpent("env", "remove", "../tiny", "--yes") == ExitCode.USAGE


def test_a_service_that_does_not_start_is_reported_and_the_environment_is_not_ready(declared, capsys):
    assert rpent("env", "sync", "tiny") == ExitCode.INFRASTRUCTURE
    assert "was built, but its service does not start" in capsys.readouterr().err
    assert [row.state for row in inventory()] == ["incomplete"]
