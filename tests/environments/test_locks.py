"""The locks that are shipped: complete, exact, and free of addresses."""

import importlib.util
from pathlib import Path

import pytest
from rpent.environments.catalog import declared_environments
from rpent.environments.lock import read_lock

TOOL = Path(__file__).parents[2] / "tools" / "compile_locks.py"
LOCKED = [declared for declared in declared_environments().values() if declared.spec.lock]


@pytest.fixture(scope="module")
def compile_locks():
    spec = importlib.util.spec_from_file_location("compile_locks", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_libero_ships_a_lock():
    assert "libero" in [declared.spec.name for declared in LOCKED]


@pytest.mark.parametrize("declared", LOCKED, ids=lambda declared: declared.spec.name)
def test_the_lock_covers_what_is_required(declared, compile_locks):
    assert compile_locks.not_covered(declared, read_lock(declared.spec)) == []


@pytest.mark.parametrize("declared", LOCKED, ids=lambda declared: declared.spec.name)
def test_the_lock_names_no_host_and_no_path(declared):
    text = read_lock(declared.spec)
    assert "://" not in text
    assert "file:" not in text
    assert "index-url" not in text


@pytest.mark.parametrize("declared", LOCKED, ids=lambda declared: declared.spec.name)
def test_every_version_is_exact_and_hashed(declared):
    for line in read_lock(declared.spec).splitlines():
        assert line.startswith(("#", "    --hash=sha256:")) or "==" in line
