"""The planner `api`: pydantic-ai over the session's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_planner_api.models import PLANNER, PLUGIN, SDK, model_name

if TYPE_CHECKING:
    from rpent.session.limits import Limits
    from rpent.session.session import Session

    from rpent_planner_api.config import ApiConfig


class ApiPlanner:
    """Asks any provider's language model, or a local server, for the next tool calls."""

    def __init__(self, config: ApiConfig) -> None:
        self.config = config
        model_name(config)

    def check(self, limits: Limits) -> None:
        """Find out before anything starts whether the model can be asked.

        Raises:
            ModelError: The SDK, the key, the address, the model or the price is missing or wrong.
            UsageError: The options name no model that there could be.
        """
        from rpent_planner_api.checking import check_model  # noqa: PLC0415  (the SDK takes seconds to import)

        check_model(self.config, limits)

    def run(self, session: Session) -> None:
        """Work on the session's task."""
        from rpent.planners.sdk import importing_sdk  # noqa: PLC0415

        with importing_sdk(SDK, planner=PLANNER, plugin=PLUGIN):
            from rpent_planner_api.conversation import work  # noqa: PLC0415
        work(session, self.config)
