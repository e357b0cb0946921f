"""Environments with PyTorch, built for real by uv from stand-in wheels; no index is asked."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
from rpent.environments import pytorch
from rpent.environments.choices import BuildChoices, read_choices
from rpent.environments.lock import constraints, fingerprint, without_torch
from rpent.environments.managed import ManagedEnvironment
from rpent.environments.pytorch import build_in
from rpent.errors import EnvironmentSetupError
from rpent.specs import EnvironmentSpec

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
VERSION_PY = "__version__ = '{version}'\ncuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n"


def wheel(folder, name, version, files, requires=()):
    """Write a small wheel."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    metadata += [f"Requires-Dist: {text}" for text in requires]
    content = {
        **files,
        f"{info}/METADATA": "\n".join(metadata) + "\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    content[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in content.items():
            archive.writestr(path, text)


def torch_wheel(folder, version, cuda="None"):
    files = {
        "torch/__init__.py": "",
        "torch/version.py": "from typing import Optional\n" + VERSION_PY.format(version=version, cuda=cuda),
    }
    wheel(folder, "torch", version, files, ["tinysym"])


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """A folder with a CPU build, and a torchvision that wants another torch; the machine has no GPU and no network."""
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    for name in ("UV_FIND_LINKS", "UV_TORCH_BACKEND", "UV_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("rpent.environments.lock.foreign_requirements", lambda linked: [])
    monkeypatch.setattr("rpent.environments.verify._CORE", "pass")
    monkeypatch.setattr(pytorch, "has_gpu", lambda: False)
    folder = tmp_path / "wheels"
    torch_wheel(folder, "9.0+cpu")
    wheel(folder, "torchvision", "5.0", {"torchvision.py": ""}, ["torch==8.0"])
    wheel(folder, "tinysym", "1.0", {"tinysym.py": "VERSION = 1\n"})
    wheel(folder, "tinysym", "2.0", {"tinysym.py": "VERSION = 22\n"})
    wheel(folder, "tinyformers", "1.0", {"tinyformers.py": ""}, ["torch<9", "tinysym<2"])
    return folder


@pytest.fixture
def spec():
    return EnvironmentSpec(
        name="tiny-torch",
        python=PYTHON,
        requirements=("tinyformers==1.0",),
        torch=("torch==9.0", "torchvision==5.0"),
        verify="import torch, torchvision, tinyformers",
    )


@pytest.fixture
def environment(spec, wheels):
    return ManagedEnvironment(spec, distribution="rpent-core")


@pytest.fixture
def said():
    return []


def run(environment, code):
    return subprocess.check_output([environment.python, "-c", code], text=True).strip()


def test_a_wheel_at_hand_is_taken_and_nobody_brings_another_torch(environment, wheels, said):
    choices = BuildChoices(find_links=(str(wheels),))
    assert environment.sync(say=said.append, choices=choices)
    assert str(build_in(environment.directory / "venv")) == "torch 9.0+cpu (CPU build)"
    assert run(environment, "import tinysym; print(tinysym.VERSION)") == "1"
    record = environment.record()
    assert record["torch"] == "torch 9.0+cpu (CPU build)"
    assert record["choices"] == {"find_links": [str(wheels)]}


def test_choices_are_kept_and_another_one_builds_anew(environment, wheels, said, monkeypatch):
    environment.sync(say=said.append, choices=BuildChoices(find_links=(str(wheels),)))
    assert not environment.sync(say=said.append)
    assert not environment.sync(say=said.append, choices=BuildChoices(find_links=(str(wheels),)))
    torch_wheel(wheels, "9.0+cu130", cuda="'13.0'")
    (wheels / "torch-9.0+cpu-py3-none-any.whl").unlink()
    assert environment.sync(say=said.append, choices=BuildChoices(torch_backend="cu130"))
    assert str(build_in(environment.directory / "venv")) == "torch 9.0+cu130 (CUDA 13.0)"
    assert read_choices(environment.directory) == BuildChoices(
        torch_backend="cu130", find_links=(str(wheels),)
    )
    assert environment.is_current()


def test_what_was_interrupted_goes_on_with_its_choices(environment, wheels, said):
    def interrupt(interpreter):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.sync(
            say=said.append, start_service=interrupt, choices=BuildChoices(find_links=(str(wheels),))
        )
    assert not environment.exists()
    said.clear()
    assert environment.sync(say=said.append)
    assert not any(line.startswith("Creating") for line in said)


def test_the_variables_of_uv_count_and_are_recorded(environment, wheels, said, monkeypatch):
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_INDEX_URL", "https://user:secret@mirror.example/simple")
    assert environment.sync(say=said.append)
    variables = environment.record()["variables"]
    assert variables == {"UV_FIND_LINKS": str(wheels), "UV_INDEX_URL": "https://mirror.example/simple"}


def test_a_build_that_cannot_be_had_is_said_at_once(environment, wheels, said):
    with pytest.raises(EnvironmentSetupError, match=r"build `cu130` of `torch==9.0` cannot be had") as caught:
        environment.sync(
            say=said.append, choices=BuildChoices(torch_backend="cu130", find_links=(str(wheels),))
        )
    assert "--find-links DIR" in caught.value.hint


def test_another_python_begins_anew(environment, wheels, said):
    environment.sync(say=said.append, choices=BuildChoices(find_links=(str(wheels),)))
    said.clear()
    assert environment.sync(say=said.append, choices=BuildChoices(python=sys.executable))
    assert said[0] == f"Creating the environment `tiny-torch` (Python {sys.executable})"
    assert environment.record()["python"] == sys.executable


def test_a_python_that_is_not_there_is_one_sentence(environment, wheels, said):
    with pytest.raises(EnvironmentSetupError, match=r"No environment with Python 3\.1 ") as caught:
        environment.sync(say=said.append, choices=BuildChoices(python="3.1"))
    assert "`--python PATH`" in caught.value.hint


def test_what_a_distribution_requires_since_then_is_added(environment, spec, wheels, said, monkeypatch):
    environment.sync(say=said.append, choices=BuildChoices(find_links=(str(wheels),)))
    wheel(wheels, "tinyhttp", "1.0", {"tinyhttp.py": ""})
    monkeypatch.setattr("rpent.environments.lock.foreign_requirements", lambda linked: ["tinyhttp"])
    assert environment.sync(say=said.append)
    run(environment, "import tinyhttp")


SOURCES = [
    # reachable, gpu, backend, index, at hand -> arguments
    (True, False, None, None, None, ["--torch-backend", "auto"]),
    (True, True, "cu126", None, None, ["--torch-backend", "cu126"]),
    (True, False, None, "https://mirror.example/simple", None, []),
    (True, False, None, None, "9.0+cpu", []),
    (True, True, "auto", None, "9.0+cpu", ["--torch-backend", "auto"]),
    (True, False, "auto", None, "9.0+cpu", []),
    (True, False, "cpu", None, "9.0", ["--torch-backend", "cpu"]),
    (False, False, "cpu", None, "9.0+cpu", []),
    (False, False, "auto", None, None, []),
]


@pytest.mark.parametrize("case", SOURCES)
def test_where_torch_comes_from(wheels, monkeypatch, said, case):
    reachable, gpu, backend, index, at_hand, arguments = case
    monkeypatch.setattr(pytorch, "has_gpu", lambda: gpu)
    monkeypatch.setattr(pytorch, "_reachable", lambda: reachable)
    monkeypatch.setattr(pytorch, "_version_at_hand", lambda *_: at_hand)
    choices = BuildChoices(torch_backend=backend, index_url=index)
    assert pytorch._source("torch==9.0", "python", choices, said.append) == arguments
    assert len(said) == (not reachable and at_hand is None)


def test_the_variable_for_the_build_is_a_choice(wheels, monkeypatch, said):
    monkeypatch.setenv("UV_TORCH_BACKEND", "cu128")
    monkeypatch.setattr(pytorch, "_reachable", lambda: True)
    assert pytorch._source("torch==9.0", "python", BuildChoices(), said.append) == [
        "--torch-backend",
        "cu128",
    ]


LOCK = """# comment
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
nvidia-cublas==13.1 ; sys_platform == 'linux' \\
    --hash=sha256:cc
torch==2.13.0 \\
    --hash=sha256:dd
triton==3.7.1 \\
    --hash=sha256:ee
zipp==4.1.2 \\
    --hash=sha256:ff
"""


def test_locks_leave_torch_out():
    kept = without_torch(LOCK)
    assert [line.partition("==")[0] for line in kept.splitlines() if "==" in line] == ["numpy", "zipp"]
    assert "sha256:ff" in kept
    assert not any(digest in kept for digest in ("sha256:cc", "sha256:dd", "sha256:ee"))
    assert constraints(kept) == "numpy==2.4.6 ; python_full_version < '3.12'\nzipp==4.1.2\n"


def test_the_fingerprint_covers_torch(spec):
    assert fingerprint(spec) != fingerprint(replace(spec, torch=("torch==9.1",)))


def test_kept_choices_are_for_their_owner_only(environment, wheels, said):
    environment.sync(
        say=said.append,
        choices=BuildChoices(
            find_links=(str(wheels),), index_url="https://user:secret@mirror.example/simple"
        ),
    )
    file = environment.directory / "choices.json"
    assert file.stat().st_mode & 0o077 == 0
    assert "secret" in json.loads(file.read_text())["index_url"]
    assert "secret" not in json.dumps(environment.record())


def test_an_index_with_a_password_stands_in_no_command_line(monkeypatch, tmp_path, said):
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "arguments: $*"\necho "index: $UV_DEFAULT_INDEX"\n')
    uv.chmod(0o755)
    monkeypatch.setenv("RPENT_UV", str(uv))
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    address = "https://user:secret@mirror.example/simple"
    choices = BuildChoices(index_url=address)
    pytorch.install_torch(
        ("torch==9.0", "torchvision==9.0"), python="python", choices=choices, versions=None, say=said.append
    )
    lines = [line for line in said if line.startswith(("arguments: ", "index: "))]
    assert [line for line in lines if "secret" in line] == [f"index: {address}"] * 2
    assert len([line for line in lines if line.startswith("arguments: pip install")]) == 2
