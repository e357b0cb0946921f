"""What this distribution offers: the perceptor `sam3` and its server; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import QUIET_THREADS, PerceptorSpec, ServiceSpec
from rpent_torch.environments import TRANSFORMERS
from rpent_torch.hugging_face import OFFLINE

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1

PERCEPTION = ServiceSpec(
    name="perception",
    factory="rpent_perception_sam3.server.create:create",
    config="rpent_perception_sam3.config:Sam3Config",
    check="rpent_perception_sam3.checkpoint:read",
    summary="SAM 3: masks for a text or a point in a picture.",
    scope="shared",
    environment=TRANSFORMERS,
    starts_alone=False,
    ready_timeout_s=900.0,
    env=OFFLINE,
    env_defaults=QUIET_THREADS,
)


@hookimpl
def rpent_perceptors() -> Iterator[PerceptorSpec]:
    """Offer SAM 3."""
    yield PerceptorSpec(
        name="sam3",
        summary="SAM 3 of transformers, from a local checkpoint: finds things by text and by point.",
        perceptor="rpent_perception_sam3.perceptor:Sam3Perceptor",
        service=PERCEPTION,
    )
