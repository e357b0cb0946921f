"""A run, from request to outcome."""

# Eager, because each function has its module's name: so the attribute is always the function.
from rpent.run.execute import execute
from rpent.run.explore import explore
from rpent.run.replay import replay
from rpent.run.request import Explore, Limits, RunRequest
from rpent.run.resume import resume

__all__ = ["Explore", "Limits", "RunRequest", "execute", "explore", "replay", "resume"]
