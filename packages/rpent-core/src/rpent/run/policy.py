"""The policy of a run: one that it starts as its service `vla`, or one that it is attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.config import build_config
from rpent.errors import PolicyError, UsageError
from rpent.plugins.named import load_named
from rpent.policies.chosen import ChosenPolicy, embodiment_of

if TYPE_CHECKING:
    from rpent.rpc.channel import Channel
    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry, Resolved
    from rpent.specs import PolicySpec, RobotSpec

VLA = "vla"
"""The service that a robot's tools ask for actions."""
_SERVED = ("backend", "family", "checkpoint", "layout", "device", "execute_steps", "chunk_length")
"""What run.json says of the policy that answered, besides how it was started."""


def choose_policy(request: RunRequest, robot: RobotSpec, source: Registry) -> ChosenPolicy | None:
    """Return the policy that the request names, with the robot that it shall drive; None when it names none.

    Raises:
        PluginError: It is missing or broken.
        UsageError: The robot cannot be driven by a policy, or a value is not accepted.
    """
    if request.policy is None:
        return None
    if VLA in request.endpoints:
        raise UsageError(
            "`--policy` starts a policy server and `--vla-endpoint` attaches to one.",
            hint="Give one of them.",
        )
    spec: PolicySpec = source.get("policies", request.policy)
    if VLA not in {service.name for service in robot.services}:
        raise UsageError(f"The robot `{robot.name}` has no tools that use a policy.", hint="Omit `--policy`.")
    what = f"policy `{spec.name}`"
    return ChosenPolicy(
        spec=spec,
        config=build_config(load_named(spec.config, what), request.policy_config, what=what),
        values=request.policy_config,
        embodiment=embodiment_of(robot),
        layout=request.policy_layout,
    )


def check_served(resolved: Resolved, channel: Channel, *, owned: bool) -> dict[str, Any] | None:
    """Ask the policy server what it serves, and make sure that it drives the robot of this run.

    Args:
        resolved: The run.
        channel: Its service `vla`.
        owned: Whether the run started it.

    Returns:
        What run.json says of it; None where the robot's own service is no policy server.

    Raises:
        PolicyError: It drives another robot, or none.
    """
    if not resolved.robot_spec.embodiment or (owned and resolved.policy is None):
        return None
    robot = embodiment_of(resolved.robot_spec).robot
    described = _described(channel, robot)
    drives = described.get("robot")
    if drives != robot:
        offered = f"drives the robot `{drives}`" if drives else "serves no robot"
        raise PolicyError(
            f"The policy server {offered}; this run needs one for `{robot}`.",
            hint=f"rpent serve policy --backend {described.get('backend', 'NAME')} --embodiment {robot} …",
        )
    return {name: described[name] for name in _SERVED if name in described}


def _described(channel: Channel, robot: str) -> dict[str, Any]:
    if "describe" not in channel.info.methods:
        raise PolicyError(
            f"The service `{VLA}` does not say which robot it drives.",
            hint=f"Attach to a policy server: rpent serve policy --backend NAME --embodiment {robot} …",
        )
    return dict(channel.call("describe"))
