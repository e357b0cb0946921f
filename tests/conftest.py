"""Fixtures for tests across distributions: the built wheels, and fresh environments to install them into."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from rpent.environments.uv import find_uv

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "fixtures"

collect_ignore_glob = ["fixtures/*"]
"""They are distributions with tests of their own, run where they are installed."""


def uv(*args: str, **options) -> subprocess.CompletedProcess[str]:
    """Run uv, showing what it said when it fails."""
    done = subprocess.run([find_uv(), *args], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"uv {' '.join(args)}\n{done.stdout}{done.stderr}"
    return done


@dataclass(frozen=True)
class FreshEnvironment:
    """A virtual environment outside the repository, with only what a test installs into it."""

    folder: Path
    wheels: Path

    @property
    def bin(self) -> Path:
        """Where its programs are."""
        return self.folder / "venv" / "bin"

    def install(self, *requirements: str | Path, deps: bool = True) -> None:
        """Install wheels of the workspace by name, folders, and what is on the index."""
        extra = [] if deps else ["--no-deps"]
        uv(
            "pip",
            "install",
            "--quiet",
            *self._where(),
            "--find-links",
            str(self.wheels),
            *extra,
            *map(str, requirements),
        )

    def uninstall(self, *names: str) -> None:
        """Uninstall distributions."""
        uv("pip", "uninstall", "--quiet", *self._where(), *names)

    def run(
        self, program: str, *args: str, timeout_s: float = 120, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, in its folder, without anything of the repository in sight."""
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "RPENT_", "VIRTUAL"))
        }
        clean["XDG_CACHE_HOME"] = str(self.folder / "cache")
        return subprocess.run(
            [str(self.bin / program), *args],
            cwd=self.folder,
            env={**clean, **env},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def _where(self) -> list[str]:
        return ["--python", str(self.bin / "python")]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of every member, built once."""
    folder = tmp_path_factory.mktemp("wheels")
    uv("build", "--quiet", "--all-packages", "--wheel", "--out-dir", str(folder), cwd=ROOT)
    return folder


@pytest.fixture
def fresh_environment(tmp_path: Path, wheels: Path) -> FreshEnvironment:
    """An empty virtual environment."""
    uv("venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv"))
    return FreshEnvironment(tmp_path, wheels)
