"""A planner's session: the one place where the rules for all planners live."""

from rpent.session.reply import ToolReply
from rpent.session.session import Session, SessionEndedError
from rpent.session.usage import Usage
from rpent.session.user_calls import RobotHeldError

__all__ = ["RobotHeldError", "Session", "SessionEndedError", "ToolReply", "Usage"]
