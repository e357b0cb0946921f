"""`rpent serve policy`: the one target behind which every policy backend stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import PluginChoice

if TYPE_CHECKING:
    from rpent.policies.chosen import ChosenPolicy

POLICY = "policy"
"""The target's name; each backend is chosen with `--backend`."""


def target_options() -> list[click.Option]:
    """Return the options that the target has whatever the backend."""
    return [
        click.Option(
            ["--backend"],
            type=PluginChoice("policies"),
            required=True,
            help="What loads the checkpoint, or asks the server that has it.",
        ),
        click.Option(
            ["--embodiment"],
            type=PluginChoice("robots"),
            help="The robot that it drives: clients then speak the robot's own names and units."
            "  [default: none; they speak the checkpoint's]",
        ),
        click.Option(
            ["--layout"],
            metavar="NAME",
            help="How the robot's pictures, state and actions are laid out for the checkpoint."
            "  [default: the layout that fits]",
        ),
    ]


def backend_options(backend: str, *, taken: frozenset[str]) -> list[click.Option]:
    """Return the options of a backend, from its config model."""
    from rpent.cli.options import options_from_model
    from rpent.config import env_prefix
    from rpent.plugins import registry
    from rpent.plugins.named import load_named

    spec = registry.get("policies", backend)
    model = load_named(spec.config, f"policy `{backend}`")
    return options_from_model(model, env_prefix=env_prefix(spec.name), taken=taken, rename=POLICY)


def chosen_policy(ctx: click.Context, options: list[click.Option]) -> ChosenPolicy:
    """Return the policy that the parsed options name.

    Raises:
        UsageError: A value is not accepted.
    """
    from rpent.cli.options import field_name, given, option_name
    from rpent.config import build_config
    from rpent.plugins import registry
    from rpent.plugins.named import load_named
    from rpent.policies.chosen import ChosenPolicy, embodiment_of

    typed: dict[str, Any] = ctx.params
    spec = registry.get("policies", typed["backend"])
    what = f"policy `{spec.name}`"
    values = given(ctx, options)
    names = {field_name(option): option_name(option) for option in options}
    robot = typed["embodiment"]
    return ChosenPolicy(
        spec=spec,
        config=build_config(load_named(spec.config, what), values, what=what, names=names),
        values=values,
        embodiment=None if robot is None else embodiment_of(registry.get("robots", robot)),
        layout=typed["layout"],
    )
