"""What a checkpoint takes and gives, found out without loading a weight, and whom it fits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rpent.config import build_config
from rpent.errors import PluginError, PolicyError, RpentError, UsageError
from rpent.plugins import registry
from rpent.plugins.named import load_named
from rpent.policies.chosen import embodiment_of, read_signature
from rpent.policies.fit import fit, layouts_of
from rpent.policies.mapping import mapping
from rpent.suggest import listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.policies.embodiment import Embodiment
    from rpent.policies.fit import Fit
    from rpent.policies.signature import Signature
    from rpent.specs import PolicySpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection:
    """A checkpoint, and how it stands beside robots."""

    checkpoint: str
    backend: str
    guessed: bool
    signature: Signature
    fits: tuple[tuple[Fit, tuple[Fit, ...]], ...]
    """Robot by robot: the layout that is taken, and all of them."""

    @property
    def ok(self) -> bool:
        """Whether it can drive one of the robots, where there are any."""
        return not self.fits or any(chosen.ok for chosen, _ in self.fits)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "version": 1,
            "checkpoint": self.checkpoint,
            "backend": self.backend,
            "guessed": self.guessed,
            "signature": self.signature.model_dump(mode="json"),
            "robots": [
                {
                    "robot": chosen.embodiment.robot,
                    "layout": chosen.layout.name,
                    "fits": chosen.ok,
                    "differences": [asdict(difference) for difference in chosen.differences],
                    "mapping": [asdict(row) for row in mapping(chosen)],
                    "layouts": [
                        {
                            "name": each.layout.name,
                            "summary": each.layout.summary,
                            "fits": each.ok,
                            "differences": len(each.differences),
                        }
                        for each in every
                    ],
                }
                for chosen, every in self.fits
            ],
        }


def inspect(
    checkpoint: str,
    *,
    backend: str | None = None,
    values: Mapping[str, Any] = MappingProxyType({}),
    robot: str | None = None,
    layout: str | None = None,
) -> Inspection:
    """Read a checkpoint and put it beside a robot, or beside all that are installed.

    Args:
        checkpoint: Its folder.
        backend: The policy plugin that reads it; None takes the only one that accepts it.
        values: Further options of that plugin.
        robot: The robot plugin.
        layout: One of its layouts; None takes the one that fits.

    Raises:
        PolicyError: No backend can read it.
        UsageError: Several backends can, or the robot has no such layout.
    """
    if layout is not None and robot is None:
        raise UsageError("`--layout` is a robot's layout.", hint="Add `--robot ROBOT`.")
    if backend is None:
        name, signature = _guessed(checkpoint)
    else:
        name, signature = backend, _read(registry.get("policies", backend), checkpoint, values)
    if signature is None:
        raise PolicyError(
            f"The policy `{name}` cannot tell what a checkpoint takes before it is loaded.",
            hint=f"rpent serve policy --backend {name} --checkpoint {checkpoint}",
        )
    robots = _embodiments() if robot is None else [embodiment_of(registry.get("robots", robot))]
    return Inspection(
        checkpoint=checkpoint,
        backend=name,
        guessed=backend is None,
        signature=signature,
        fits=tuple(
            (
                fit(signature, each, layout),
                tuple(fit(signature, each, known.name) for known in layouts_of(each)),
            )
            for each in robots
        ),
    )


def _read(spec: PolicySpec, checkpoint: str, values: Mapping[str, Any]) -> Signature | None:
    what = f"policy `{spec.name}`"
    config = build_config(load_named(spec.config, what), {**values, "checkpoint": checkpoint}, what=what)
    return read_signature(spec, config)


def _guessed(checkpoint: str) -> tuple[str, Signature | None]:
    """Return the only backend that accepts the checkpoint, and what it read."""
    accepted, refused = {}, {}
    for name in registry.names("policies"):
        try:
            signature = _read(registry.get("policies", name), checkpoint, {})
        except RpentError as error:
            refused[name] = error.message
            continue
        if signature is not None:
            accepted[name] = signature
    if len(accepted) == 1:
        return next(iter(accepted.items()))
    if accepted:
        raise UsageError(f"{listing(accepted)} can read `{checkpoint}`.", hint="Choose one with `--backend`.")
    reasons = [f"  {name}: {reason}" for name, reason in refused.items()]
    raise PolicyError(
        f"No installed policy backend reads `{checkpoint}`.",
        hint="\n".join(["What they say:", *reasons])
        if reasons
        else "`rpent policy list` shows what is installed.",
    )


def _embodiments() -> list[Embodiment]:
    """Return every installed robot that a policy can drive; what is broken or says nothing is passed over."""
    found = []
    for name in registry.names("robots"):
        try:
            found.append(embodiment_of(registry.get("robots", name)))
        except (PluginError, UsageError):
            continue
    return found
