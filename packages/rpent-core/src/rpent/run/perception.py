"""The perceptor of a run, built over its services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.perception import PerceptorContext
from rpent.plugins.named import load_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.perception import Perceptor
    from rpent.rpc.channel import Channel
    from rpent.run.resolve import Resolved


def build_perceptor(resolved: Resolved, channels: Mapping[str, Channel]) -> Perceptor | None:
    """Return the perceptor that the request or the robot names, or None."""
    spec = resolved.perceptor_spec
    if spec is None:
        return None
    context = PerceptorContext(channels=channels, config=resolved.perceptor_config)
    perceptor: Perceptor = load_named(spec.perceptor, f"perceptor `{spec.name}`")(context)
    return perceptor
