"""What Claude Code is started with: the robot's tools and nothing of its own, and an environment of a few names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claude_agent_sdk import ClaudeAgentOptions
from rpent.planners.launcher import write_launcher
from rpent.planners.private import write_private

from rpent_planner_claude_code.binary import bundled_binary
from rpent_planner_claude_code.tools import SERVER, full_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from claude_agent_sdk.types import ThinkingConfig
    from mcp.server.lowlevel import Server
    from rpent.session.session import Session

    from rpent_planner_claude_code.config import ClaudeCodeConfig
    from rpent_planner_claude_code.endpoint import Endpoint
    from rpent_planner_claude_code.private import PrivateFolder

MAX_MESSAGE = 64 << 20
"""Bytes of one message of Claude Code's; the SDK's own limit of 1 MB is less than a few pictures."""

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
"""Nothing goes out but the requests to the model."""
PLAIN = {
    "ENABLE_TOOL_SEARCH": "false",  # the model sees the tools themselves
    "MAX_MCP_OUTPUT_TOKENS": "200000",  # replies are bounded by the session; longer ones would go to a file
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",  # a refusal ends the session
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    "CLAUDE_CODE_DEBUG_LOG_LEVEL": "warn",
}
"""An agent loop over the given tools, without the surroundings of a coding assistant."""
PUBLISHED_API = {
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS": "1",
    "CLAUDE_CODE_MODEL_CAPABILITIES": "-mid_conv_system",  # no messages of the role `system` amid the others
}
"""What other servers than Anthropic's understand."""
BY_THE_SDK = frozenset(
    {"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_AGENT_SDK_VERSION", "CLAUDE_CODE_SDK_READS_SESSION_STATE", "PWD"}
)
"""Names that the SDK sets for its child."""


def build_options(  # noqa: PLR0917  (what a conversation consists of)
    session: Session,
    config: ClaudeCodeConfig,
    endpoint: Endpoint,
    folder: PrivateFolder,
    server: Server[Any],
    on_stderr: Callable[[str], None],
) -> ClaudeAgentOptions:
    """Return the options of a conversation over a session's tools."""
    environment = _environment(config, endpoint, folder)
    # Where the run is killed, Claude Code would ask the model once more before it noticed.
    launcher = write_launcher(folder.path, bundled_binary(), {*environment, *BY_THE_SDK}, tied=True)
    prompt = folder.path / "system.txt"  # not an argument, which everyone can read and the system keeps short
    write_private(prompt, session.prompts.system)
    return ClaudeAgentOptions(
        cli_path=launcher,
        cwd=folder.work,
        env=environment,
        system_prompt={"type": "file", "path": str(prompt)},
        model=endpoint.model,
        thinking=_thinking(config),
        effort=config.reasoning_effort,
        max_turns=_turns_left(session),
        max_budget_usd=_budget_left(session, endpoint),
        tools=[],
        mcp_servers={SERVER: {"type": "sdk", "name": SERVER, "instance": server}},
        strict_mcp_config=True,
        allowed_tools=[full_name(tool.name) for tool in session.tools],
        permission_mode="dontAsk",
        setting_sources=[],
        skills=[],
        plugins=[],
        verbatim_prompts=True,  # else `@/etc/passwd` in a message would be replaced by the file
        include_partial_messages=True,
        max_buffer_size=MAX_MESSAGE,
        extra_args=_arguments(endpoint),
        stderr=on_stderr,
    )


def _environment(config: ClaudeCodeConfig, endpoint: Endpoint, folder: PrivateFolder) -> dict[str, str]:
    environment = {
        **QUIET,
        **PLAIN,
        **endpoint.environment,
        "HOME": str(folder.home),
        "CLAUDE_CONFIG_DIR": str(folder.config),
        "TMPDIR": str(folder.temporary),
        "CLAUDE_CODE_TMPDIR": str(folder.temporary),
        "CLAUDE_CODE_MAX_RETRIES": str(config.max_retries),
    }
    if endpoint.base_url:
        environment |= PUBLISHED_API
        environment["ANTHROPIC_DEFAULT_HAIKU_MODEL"] = endpoint.model  # for requests besides the conversation
    if config.max_tokens is not None:
        environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(config.max_tokens)
    if config.context_window is not None:
        environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = str(config.context_window)
    return environment


def _arguments(endpoint: Endpoint) -> dict[str, str | None]:
    """Leave out all that describes this machine; with a subscription's token that is not to be had."""
    arguments: dict[str, str | None] = {"debug-to-stderr": None}
    return arguments if endpoint.with_login else {**arguments, "bare": None}


def _thinking(config: ClaudeCodeConfig) -> ThinkingConfig:
    if not config.thinking:
        return {"type": "disabled"}
    return {"type": "adaptive", "display": "summarized"}


def _turns_left(session: Session) -> int | None:
    limit = session.budget.limits.max_turns
    return None if limit is None else max(1, limit - session.budget.turns)


def _budget_left(session: Session, endpoint: Endpoint) -> float | None:
    """Return what Claude Code may spend by its own count, which is right for Anthropic's prices only."""
    limit = session.budget.limits.cost_limit_usd
    if limit is None or endpoint.base_url:
        return None
    return max(0.000001, limit - (session.budget.usage.cost_usd or 0.0))
