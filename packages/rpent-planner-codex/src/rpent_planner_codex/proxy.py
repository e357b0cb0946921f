"""Models that speak chat completions or Anthropic's format: LiteLLM's proxy between them and Codex.

The proxy is a process of the run: on the loopback, on a free port, behind a key of its own, with no database and no
telemetry. It talks to the model server and to nobody else.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import ServiceError
from rpent.planners.faults import ModelError
from rpent.planners.launcher import ALWAYS
from rpent.planners.sdk import require_sdk
from rpent.services.log import ServiceLog

from rpent_planner_codex.binary import PLUGIN
from rpent_planner_codex.endpoint import PLANNER, Endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.session.session import Session

    from rpent_planner_codex.config import Upstream

READY_S = 180.0
"""LiteLLM imports for 5 s of CPU time; a busy machine takes several times that."""
_KEY = "RPENT_UPSTREAM_KEY"
_MASTER = "LITELLM_MASTER_KEY"
_ANTHROPIC_MAX_TOKENS = 16_384
"""Tokens of a reply; Anthropic's format wants a number, and Codex names none."""
_RUN = "from litellm.proxy.proxy_cli import run_server; run_server()"
_STOP_S = 10.0
_LISTENS = "0A"
"""TCP_LISTEN in `/proc/net/tcp`, whose columns are address, peer, state, …, and the owner as the eighth."""


def require_litellm() -> None:
    """Look for LiteLLM's proxy.

    Raises:
        ModelError: It is not installed.
    """
    hint = f'pip install "{PLUGIN}[proxy]"'
    try:
        require_sdk("litellm", planner=PLANNER, plugin=PLUGIN)
    except ModelError as error:
        raise ModelError(
            f"`--upstream chat` and `--upstream anthropic` need LiteLLM's proxy: {error.message}",
            fault="sdk",
            hint=hint,
        ) from error
    missing = [name for name in ("fastapi", "uvicorn", "orjson") if find_spec(name) is None]
    if missing:
        raise ModelError(
            f"LiteLLM is installed without its proxy: `{missing[0]}` is missing.", fault="sdk", hint=hint
        )


def proxy_settings(upstream: Upstream, endpoint: Endpoint, model: str) -> dict[str, Any]:
    """Return LiteLLM's configuration for one model; keys come from the environment."""
    parameters: dict[str, Any] = {
        "model": f"{'anthropic' if upstream == 'anthropic' else 'openai'}/{model}",
        "api_base": endpoint.base_url,
        "api_key": f"os.environ/{_KEY}",
        "max_retries": 0,
    }
    if upstream == "chat":
        parameters["use_chat_completions_api"] = True
    else:
        parameters["max_tokens"] = _ANTHROPIC_MAX_TOKENS
    return {
        "model_list": [{"model_name": model, "litellm_params": parameters}],
        "litellm_settings": {"drop_params": True, "num_retries": 0, "request_timeout": 3600},
        # Codex retries; a proxy that does so too, or that pauses a model after a fault, would hide it.
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "general_settings": {"master_key": f"os.environ/{_MASTER}"},
    }


@contextmanager
def running_proxy(upstream: Upstream, endpoint: Endpoint, model: str, session: Session) -> Iterator[Endpoint]:
    """Start the proxy, wait until it answers, and end it afterwards.

    Yields:
        Where Codex goes instead of to the model server.

    Raises:
        ServiceError: It does not start.
    """
    session.notice("Starting LiteLLM's proxy; that takes some seconds.")
    log = ServiceLog(session.recorder.directory.logs / "proxy.log")
    with tempfile.TemporaryDirectory(prefix="rpent-proxy-", ignore_cleanup_errors=True) as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(json.dumps(proxy_settings(upstream, endpoint, model)))  # JSON is YAML
        key, port = f"sk-{secrets.token_urlsafe(32)}", _free_port()
        process = _start(config, port=port, key=key, upstream_key=endpoint.key or "none", log=log)
        try:
            _wait_until_ready(process, port, session, log)
            yield Endpoint(f"http://127.0.0.1:{port}/v1", _MASTER, key)
        finally:
            _stop(process)
            log.mask_keys()


def _start(
    config: Path, *, port: int, key: str, upstream_key: str, log: ServiceLog
) -> subprocess.Popen[bytes]:
    environment = proxy_environment(config.parent, key=key, upstream_key=upstream_key)
    proxy = [sys.executable, "-c", _RUN, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    output = log.open()
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "rpent_planner_codex.keeper", str(config.parent), *proxy],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=config.parent,
            start_new_session=True,
        )
    finally:
        os.close(output)


def proxy_environment(home: Path, *, key: str, upstream_key: str) -> dict[str, str]:
    """Return the proxy's environment: what every program needs, and its keys."""
    kept = {name: value for name, value in os.environ.items() if name in ALWAYS or name.startswith("LC_")}
    return {
        **kept,
        "HOME": str(home),
        _KEY: upstream_key,
        _MASTER: key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
        "LITELLM_MODE": "PRODUCTION",  # else it reads a `.env` from any folder above, `/tmp/.env` too
        "NO_DOCS": "True",
    }


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, session: Session, log: ServiceLog) -> None:
    deadline = time.monotonic() + READY_S
    while not _answers(port):
        session.check()
        if process.poll() is not None or time.monotonic() > deadline:
            raise ServiceError(
                "LiteLLM's proxy did not start.",
                hint=f"It said: {' '.join(log.tail(3))[-300:]} (all of it in `logs/proxy.log`)",
            )
        session.cancel.wait(0.2)
    if not _is_ours(port):
        raise ServiceError(
            "A process of another user took the port of LiteLLM's proxy.", hint="Start the run again."
        )


def _is_ours(port: int) -> bool:
    """Whether a process of this user listens: the port is known to others for seconds before LiteLLM takes it."""
    try:
        lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    except OSError:  # no Linux
        return True
    address = int.from_bytes(socket.inet_aton("127.0.0.1"), sys.byteorder)
    wanted = [f"{address:08X}:{port:04X}", _LISTENS, str(os.getuid())]
    return any([row[1], row[3], row[7]] == wanted for row in map(str.split, lines))


def _answers(port: int) -> bool:
    import urllib.request  # noqa: PLC0415  (only where a proxy is started)

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/health/liveliness", timeout=5.0) as answer:
            return bool(answer.status == 200)
    except (OSError, ValueError):
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Close the keeper's stdin: it kills the proxy and ends."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
