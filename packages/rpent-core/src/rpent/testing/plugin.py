"""Fixtures for tests of plugins; the top-level conftest.py says `pytest_plugins = ["rpent.testing.plugin"]`.

It is no pytest entry point: that would be imported in every test run of an environment, before coverage
starts.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from rpent.plugins import registry
from rpent.testing.site import PluginSite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class CliResult:
    """What a command printed and how it ended."""

    exit_code: int
    stdout: str
    stderr: str


class CliRunner:
    """Runs `rpent` in this process: `run_cli("plugins", "list")`."""

    def __call__(self, *args: str, env: dict[str, str] | None = None) -> CliResult:
        """Run the command line as the shell would, errors and exit codes included."""
        from click.testing import CliRunner as ClickRunner  # noqa: PLC0415

        from rpent.cli import main  # noqa: PLC0415

        registry.current.cache_clear()
        result = ClickRunner().invoke(main, list(args), env=env)
        registry.current.cache_clear()
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return CliResult(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def run_cli(plugin_environment: None) -> CliRunner:  # noqa: ARG001
    """Run `rpent` in this process."""
    return CliRunner()


@pytest.fixture
def plugin_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Keep the developer's own settings out, and what commands set for their children from the next test."""
    monkeypatch.setenv("RPENT_CONFIG_DIR", str(tmp_path_factory.mktemp("config")))
    for name in ("RPENT_DISABLE_PLUGINS", "RPENT_LOAD_PLUGINS", "RPENT_STRICT_PLUGINS"):
        # setenv first: monkeypatch then restores the variable even where it was absent.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    registry.current.cache_clear()
    yield
    registry.current.cache_clear()


@pytest.fixture
def plugin_site(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    plugin_environment: None,  # noqa: ARG001
) -> Iterator[PluginSite]:
    """Make a folder on the import path (of child processes too) into which a test puts distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    inherited = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(folder), inherited))))
    yield PluginSite(folder)
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
