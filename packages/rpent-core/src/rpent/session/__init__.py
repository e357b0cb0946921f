"""A planner's session: the one place where the rules for all planners live."""

from rpent.session.reply import ToolReply
from rpent.session.session import Session, SessionEndedError
from rpent.session.usage import Usage

__all__ = ["Session", "SessionEndedError", "ToolReply", "Usage"]
