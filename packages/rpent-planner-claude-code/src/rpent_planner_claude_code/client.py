"""A connection to a Claude Code process that is gone at the end, whatever happens."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
from claude_agent_sdk import ClaudeSDKClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from claude_agent_sdk import ClaudeAgentOptions

_LOG = logging.getLogger("claude_agent_sdk._internal.query")


@asynccontextmanager
async def connected(options: ClaudeAgentOptions) -> AsyncIterator[ClaudeSDKClient]:
    """Yield a client; its process is killed at the end.

    Told to go, Claude Code would first finish what it is at: send a cancelled tool's result to the model, or read
    a reply to its end.
    """
    client = ClaudeSDKClient(options)
    try:
        await client.connect()
        yield client
    finally:
        _LOG.addFilter(_drop)  # that the process was killed is no news
        try:
            with anyio.CancelScope(shield=True):
                kill(client)
                await client.disconnect()
        finally:
            _LOG.removeFilter(_drop)


def process_of(client: ClaudeSDKClient) -> Any:
    """Return the Claude Code process of a client, or None. The SDK has no name for it."""
    return getattr(getattr(client, "_transport", None), "_process", None)


def kill(client: ClaudeSDKClient) -> None:
    """End the Claude Code process at once."""
    process = process_of(client)
    if process is not None and process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()


def _drop(_record: logging.LogRecord) -> bool:
    return False
