"""A Codex home of a run's own: nothing of the user's is read, nothing is left behind."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.planners.private import private_folder, write_private

from rpent_planner_codex.catalog import SERVER
from rpent_planner_codex.endpoint import OPENAI, PLANNER
from rpent_planner_codex.toml import toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent_planner_codex.config import CodexConfig
    from rpent_planner_codex.endpoint import Endpoint

KEY = "RPENT_MODEL_KEY"
TOKEN = "RPENT_ROBOT_TOKEN"  # noqa: S105  (names of variables)
CHILD_ENVIRONMENT = frozenset({"CODEX_HOME", KEY, TOKEN})
"""What Codex's environment holds besides what every program needs."""
TOOL_TIMEOUT_S = 86_400.0
"""The session ends tools; Codex is not to."""
_COMPACT_AT = 0.9
MACHINES_SETTINGS = Path("/etc/codex/config.toml")
"""Defaults for all users of the machine; Codex lays a run's own settings over them."""

_OFF = (
    "plugins",  # this one stops what Codex asks github.com and chatgpt.com at its start
    "remote_plugin",
    "apps",
    "goals",
    "multi_agent",
    "shell_tool",
    "unified_exec",
    "shell_snapshot",
    "tool_suggest",
    "view_image",
    "image_generation",
    "sleep_tool",
    "hooks",
    "memories",
    "skill_search",
    "unbounded_connection_retries",
)


@dataclass(frozen=True, slots=True)
class CodexHome:
    """Folders of one run."""

    path: Path
    """`CODEX_HOME` and `HOME`."""
    work: Path
    """The working directory: empty."""


@contextmanager
def private_home(login: Path | None = None) -> Iterator[CodexHome]:
    """Make the folders (0700) and remove them afterwards.

    Args:
        login: The user's `auth.json`. It is copied; when Codex renewed it, the user gets the new one.
    """
    with private_folder(PLANNER) as folder:
        home = CodexHome(folder / "home", folder / "work")
        home.path.mkdir(mode=0o700)
        home.work.mkdir(mode=0o700)
        if login is None:
            yield home
            return
        before = login.read_bytes()
        copy = home.path / "auth.json"
        write_private(copy, before)
        try:
            yield home
        finally:
            _give_back(copy, login, before)


def write_settings(home: CodexHome, settings: Mapping[str, Any], catalog: Mapping[str, Any]) -> None:
    """Write `config.toml`, and the catalogue that it points to."""
    whole = dict(settings)
    if catalog.get("models"):
        path = home.path / "models.json"
        write_private(path, json.dumps(catalog))
        whole = {"model_catalog_json": str(path), **whole}
    write_private(home.path / "config.toml", toml_text(whole))


def codex_settings(config: CodexConfig, endpoint: Endpoint, *, model: str, robot_url: str) -> dict[str, Any]:
    """Return Codex's configuration: one model server, one MCP server, and nothing else that acts.

    Args:
        config: The planner's options.
        endpoint: The model server that Codex itself talks to.
        model: Name of the model.
        robot_url: Where the robot's tools are served.
    """
    window = config.context_window
    return {
        "model": model,
        "model_provider": "rpent",
        "model_reasoning_effort": config.reasoning_effort,
        "model_reasoning_summary": "auto",
        "model_context_window": window,
        "model_auto_compact_token_limit": None if window is None else int(window * _COMPACT_AT),
        **_CONFINED,
        "model_providers": {"rpent": _provider(config, endpoint)},
        "mcp_servers": {**_switched_off(MACHINES_SETTINGS), SERVER: _robot(robot_url)},
    }


_CONFINED: Mapping[str, Any] = {
    "approval_policy": "never",
    "sandbox_mode": "read-only",
    "web_search": "disabled",
    "check_for_update_on_startup": False,
    "project_doc_max_bytes": 0,
    "include_permissions_instructions": False,
    "include_environment_context": False,
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "suppress_unstable_features_warning": True,
    "cli_auth_credentials_store": "file",
    "history": {"persistence": "none"},
    "notify": [],
    "developer_instructions": "",
    "features": {**dict.fromkeys(_OFF, False), "skip_host_skill_discovery": True},
    "tools": {"update_plan": {"enabled": False}, "experimental_request_user_input": {"enabled": False}},
    "skills": {"include_instructions": False, "bundled": {"enabled": False}},
    "analytics": {"enabled": False},
    "feedback": {"enabled": False},
    "otel": {"metrics_exporter": "none"},
    "shell_environment_policy": {"inherit": "none"},
}


def _provider(config: CodexConfig, endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.login:  # the kind of login says which of OpenAI's addresses it is
        address = None if endpoint.base_url == OPENAI else endpoint.base_url
        who = {"name": "OpenAI", "base_url": address, "requires_openai_auth": True}
    else:
        who = {
            "name": "rpent",
            "base_url": endpoint.base_url,
            "env_key": KEY if endpoint.key else None,
        }
    return {
        **who,
        "wire_api": "responses",
        # Each retry is to be seen, so Codex makes them where it tells of them.
        "request_max_retries": 0,
        "stream_max_retries": config.max_retries,
        "supports_websockets": False,
    }


def _switched_off(settings: Path) -> dict[str, Any]:
    """Return entries that switch off the MCP servers of other settings; none where they cannot be read."""
    try:
        servers = tomllib.loads(settings.read_text(encoding="utf-8")).get("mcp_servers")
    except (OSError, ValueError):
        return {}
    return {name: {"enabled": False} for name in servers} if isinstance(servers, dict) else {}


def _robot(url: str) -> dict[str, Any]:
    return {
        "url": url,
        "bearer_token_env_var": TOKEN,
        "required": True,
        "startup_timeout_sec": 30.0,
        "tool_timeout_sec": TOOL_TIMEOUT_S,
        "default_tools_approval_mode": "approve",
    }


def _give_back(copy: Path, original: Path, before: bytes) -> None:
    """Store a renewed login: the old one is worth nothing any more."""
    try:
        after = copy.read_bytes()
        if after == before or original.read_bytes() != before:
            return
        beside = original.with_name(f".{original.name}.{os.getpid()}")
        write_private(beside, after)
        shutil.move(beside, original)
    except OSError:
        return
