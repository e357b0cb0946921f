"""Local model servers: the real wire protocols of model providers, a script in place of the model.

One server answers Anthropic's Messages, OpenAI's Responses and OpenAI's chat completions; the client decides
by the path it asks for. Nothing but the standard library is needed.
"""

from rpent.testing.models.proxy import GuardProxy
from rpent.testing.models.request import CallSeen, Picture, Request, ResultSeen, Turn
from rpent.testing.models.script import ALWAYS, OVER, Call, Fault, Reply, Tokens
from rpent.testing.models.server import ModelServer

__all__ = [
    "ALWAYS",
    "OVER",
    "Call",
    "CallSeen",
    "Fault",
    "GuardProxy",
    "ModelServer",
    "Picture",
    "Reply",
    "Request",
    "ResultSeen",
    "Tokens",
    "Turn",
]
