"""A policy that somebody chose: its backend, its options, and the robot that it shall drive."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError, RpentError, UsageError, clause
from rpent.plugins.named import load_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.policies.api import PolicyConfig
    from rpent.policies.embodiment import Embodiment
    from rpent.policies.fit import Fit
    from rpent.policies.signature import Signature
    from rpent.specs import PolicySpec, RobotSpec, ServiceSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenPolicy:
    """What the policy server is started for; nothing here loads a weight."""

    spec: PolicySpec
    config: PolicyConfig
    """The backend's options, validated."""
    values: Mapping[str, Any]
    """Those of them that were given."""
    embodiment: Embodiment | None = None
    """The robot; None serves clients that speak the checkpoint's own names."""
    layout: str | None = None
    """One of the robot's layouts; None takes the one that fits."""

    @property
    def service(self) -> ServiceSpec:
        """The policy server, in an environment that can load this checkpoint."""
        with contextlib.suppress(RpentError):  # `check` is who says so
            signature = read_signature(self.spec, self.config)
            if signature is not None and signature.environments:
                fitting = [each for each in self.spec.environments if each.name in signature.environments]
                return replace(self.spec, environments=tuple(fitting)).service
        return self.spec.service

    def server_config(self) -> dict[str, Any]:
        """Return the values of the policy server's config model, as plain data."""
        return {
            "backend": self.spec.name,
            "policy": self.spec.policy,
            "config_model": self.spec.config,
            "config": dict(self.values),
            "embodiment": None if self.embodiment is None else self.embodiment.model_dump(mode="json"),
            "layout": self.layout,
        }

    def check(self) -> Fit | None:
        """Compare the checkpoint with the robot before anything is started for it.

        Returns:
            How they fit; None where the backend cannot tell beforehand, or there is no robot.

        Raises:
            PolicyError: The checkpoint cannot be used, or does not fit the robot.
            UsageError: The robot has no such layout.
        """
        if self.layout is not None and self.embodiment is None:
            raise UsageError("`--layout` is a robot's layout.", hint="Add `--embodiment ROBOT`.")
        signature = read_signature(self.spec, self.config)
        if signature is not None and signature.chunk_length is not None:
            check_execute_steps(self.config, signature.chunk_length)
        if signature is None or self.embodiment is None:
            return None
        from rpent.policies.fit import fit, refusal  # noqa: PLC0415  (numpy, for who compares)

        found = fit(signature, self.embodiment, self.layout)
        if not found.ok:
            raise refusal(found)
        return found


def read_signature(spec: PolicySpec, config: PolicyConfig) -> Signature | None:
    """Return what a checkpoint takes and gives; None where the backend cannot tell before it is loaded.

    Raises:
        PolicyError: It is no checkpoint of this backend.
        PluginError: The backend's reader cannot be imported.
    """
    if not spec.signature:
        return None
    read = load_named(spec.signature, f"policy `{spec.name}`")
    try:
        signature: Signature = read(config)
    except RpentError:
        raise
    except FileNotFoundError as error:
        raise PolicyError(
            f"The checkpoint `{config.checkpoint}` lacks `{error.filename or error}`.",
            hint=f"`--checkpoint` is a folder that the policy `{spec.name}` can load.",
        ) from error
    except Exception as error:
        raise PolicyError(
            f"The checkpoint `{config.checkpoint}` cannot be read by the policy `{spec.name}` ({_fault(error)}).",
            hint="Is it complete, and one of this policy? Else copy it again.",
        ) from error
    return signature


def check_execute_steps(config: PolicyConfig, chunk_length: int) -> None:
    """Refuse to carry out more actions than an answer has.

    Raises:
        PolicyError: More are wanted.
    """
    if (config.execute_steps or 1) > chunk_length:
        raise PolicyError(
            f"`execute_steps` is {config.execute_steps}, but the policy answers with {chunk_length} actions.",
            hint=f"Give at most {chunk_length}, or leave it out.",
        )


def _fault(error: Exception) -> str:
    """Return what a reader stumbled over as one clause."""
    from pydantic import ValidationError  # noqa: PLC0415  (only where something is wrong)

    if not isinstance(error, ValidationError):
        return clause(error, named=True)
    first = error.errors(include_url=False, include_input=False)[0]
    return f"`{'.'.join(map(str, first['loc']))[:80]}`: {first['msg']}"


def embodiment_of(robot: RobotSpec) -> Embodiment:
    """Return a robot as policies see it.

    Raises:
        UsageError: It does not say.
        PluginError: What it names cannot be imported.
    """
    if not robot.embodiment:
        raise UsageError(
            f"The robot `{robot.name}` does not say what it offers a policy.",
            hint="Its `RobotSpec` needs an `embodiment`; see the docs on bringing a policy of your own.",
        )
    embodiment: Embodiment = load_named(robot.embodiment, f"robot `{robot.name}`")
    return embodiment
