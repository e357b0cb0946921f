"""For tests without a model: a server that speaks RLDX's protocol, and a seeming environment with `rlinf-rldx`."""

from rpent_policy_rldx.testing.installed import make_checkpoint, make_python
from rpent_policy_rldx.testing.server import LIBERO, ROBOCASA, FakeModel, LocalRldxServer

__all__ = ["LIBERO", "ROBOCASA", "FakeModel", "LocalRldxServer", "make_checkpoint", "make_python"]
