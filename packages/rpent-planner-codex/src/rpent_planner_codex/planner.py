"""The planner `codex`: a Codex thread whose only tools are the robot's."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from rpent.errors import RpentError
from rpent.planners.parts import history_parts, opening_parts
from rpent.planners.prices import require_price
from rpent.planners.sdk import importing_sdk

from rpent_planner_codex.binary import (
    PLUGIN,
    SDK,
    bundled_models,
    default_model,
    require_codex,
    require_running,
)
from rpent_planner_codex.catalog import SERVER, named_tools, open_catalog
from rpent_planner_codex.endpoint import PLANNER, ask_endpoint, find_endpoint
from rpent_planner_codex.errors import Target

if TYPE_CHECKING:
    from openai_codex import Thread
    from openai_codex.client import CodexClient
    from rpent.session.limits import Limits
    from rpent.session.session import Session

    from rpent_planner_codex.config import CodexConfig
    from rpent_planner_codex.endpoint import Endpoint
    from rpent_planner_codex.home import CodexHome


class CodexPlanner:
    """Runs the bundled Codex: no shell, no files, no web, one model server, one MCP server on the loopback."""

    def __init__(self, config: CodexConfig) -> None:
        self.config = config

    def check(self, limits: Limits) -> None:
        """Look for what a run needs, before anything is started.

        Raises:
            ModelError: The SDK, the key, the server, the model or its price is not there.
        """
        require_running(require_codex())
        model = self._model()
        if self.config.upstream != "responses":
            from rpent_planner_codex.proxy import require_litellm  # noqa: PLC0415

            require_litellm()
        endpoint = find_endpoint(self.config)
        require_price(limits, planner=PLANNER, model=model, config=self.config, provider=endpoint.provider)
        ask_endpoint(endpoint, self.config, model)

    def run(self, session: Session) -> None:
        """Let Codex work on the session's task.

        Raises:
            ModelError: The model server fails for good.
            RpentError: Codex cannot be started, or ends by itself.
        """
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415
        from rpent_mcp.serving import serve_tools  # noqa: PLC0415  (a web server)

        from rpent_planner_codex.conversation import Conversation  # noqa: PLC0415
        from rpent_planner_codex.home import private_home  # noqa: PLC0415

        model, theirs = self._model(), find_endpoint(self.config)
        target = Target(model, theirs.base_url, theirs.key_variable)
        with ExitStack() as stack:
            endpoint = self._through_proxy(stack, theirs, model, session)
            portal = stack.enter_context(start_blocking_portal())
            conversation = Conversation(session, self.config, target, theirs.provider, portal)
            served = stack.enter_context(serve_tools(conversation.source, name=SERVER))
            home = stack.enter_context(private_home(endpoint.login))
            self._configure(home, endpoint, model, served.url)
            client, thread = self._connect(stack, home, endpoint, served.token, session)
            images = self.config.images
            parts = (history_parts if session.history else opening_parts)(session, images)
            conversation.run(client, thread, parts)

    def _model(self) -> str:
        binary = require_codex()
        return self.config.model or default_model(binary)

    def _through_proxy(self, stack: ExitStack, endpoint: Endpoint, model: str, session: Session) -> Endpoint:
        """Return where Codex goes itself: the model server, or a proxy before it."""
        if self.config.upstream == "responses":
            return endpoint
        from rpent_planner_codex.proxy import running_proxy  # noqa: PLC0415

        return stack.enter_context(running_proxy(self.config.upstream, endpoint, model, session))

    def _configure(self, home: CodexHome, endpoint: Endpoint, model: str, robot_url: str) -> None:
        from rpent_planner_codex.home import codex_settings, write_settings  # noqa: PLC0415

        settings = codex_settings(self.config, endpoint, model=model, robot_url=robot_url)
        write_settings(home, settings, open_catalog(bundled_models(require_codex())))

    def _connect(
        self, stack: ExitStack, home: CodexHome, endpoint: Endpoint, token: str, session: Session
    ) -> tuple[CodexClient, Thread]:
        with importing_sdk(SDK, planner=PLANNER, plugin=PLUGIN):
            from openai_codex import Thread  # noqa: PLC0415
            from openai_codex.errors import CodexError  # noqa: PLC0415
        from rpent_planner_codex.process import running_codex  # noqa: PLC0415

        try:
            client = stack.enter_context(running_codex(require_codex(), home, endpoint, token))
            started = client.thread_start(
                {
                    "approvalPolicy": "never",
                    "sandbox": "read-only",
                    "cwd": str(home.work),
                    "environments": [],
                    "ephemeral": True,
                    "baseInstructions": f"{session.prompts.system}\n\n{named_tools(session.tools)}",
                    "experimentalRawEvents": True,
                }
            )
        except (CodexError, OSError) as error:
            raise RpentError("Codex could not be started.", hint=f"It said: {str(error)[-300:]}") from error
        return client, Thread(client, started.thread.id)
