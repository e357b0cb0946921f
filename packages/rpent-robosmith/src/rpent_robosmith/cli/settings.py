"""The settings of a run as options: of `rpent smith run` and `rpent smith config`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.config import Effective

F = TypeVar("F", bound="Callable[..., Any]")

PREFIX = "RPENT_SMITH_"

_TASK: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--environment",
        {"metavar": "ID", "help": "Entry of a catalog, or a Gymnasium id; left out, one is searched for."},
    ),
    (
        "--robot",
        {"metavar": "NAME", "help": "Only environments with this robot: arm, hand, quadruped, biped, …"},
    ),
    (
        "--framework",
        {"metavar": "ADAPTER", "help": "Only environments of this adapter: gymnasium, mjcf, rpent, …"},
    ),
    ("--scene", {"metavar": "FILE", "help": "A declarative scene (YAML) to make an environment of."}),
    ("--algorithm", {"metavar": "NAME", "help": "Of an installed trainer, see `rpent smith trainers`."}),
    (
        "--hyperparameter",
        {"metavar": "NAME=VALUE", "multiple": True, "help": "Of the trainer. May be repeated."},
    ),
    ("--dataset", {"metavar": "PATH", "help": "Demonstrations, for imitation."}),
    ("--seed", {"type": int, "help": "Of everything that is drawn.  [default: 0]"}),
)
_JUDGEMENT: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--criterion",
        {
            "metavar": "METRIC>=X",
            "multiple": True,
            "help": "What must hold. May be repeated.  [default: success_rate>=0.8]",
        },
    ),
    (
        "--safety",
        {
            "metavar": "METRIC<=X",
            "multiple": True,
            "help": "A limit that must not be violated. May be repeated.",
        },
    ),
    (
        "--margin",
        {
            "type": float,
            "help": "By how much the success rate must exceed the best baseline's.  [default: 0.1]",
        },
    ),
    ("--episodes", {"type": int, "help": "Of an evaluation.  [default: 20]"}),
    ("--confidence", {"type": float, "help": "Of the intervals.  [default: 0.95]"}),
)
_BUDGET: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--iterations", {"type": int, "help": "Trainings with an evaluation at most.  [default: 3]"}),
    ("--candidates", {"type": int, "help": "Rewards that are tried in an iteration.  [default: 4]"}),
    (
        "--total-steps",
        {"type": int, "help": "Of one training.  [default: what the environment usually needs]"},
    ),
    ("--minutes", {"type": float, "help": "Wall clock of the whole run."}),
    ("--training-minutes", {"type": float, "help": "Wall clock of one training."}),
)
_MODEL: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--model",
        {
            "metavar": "PROVIDER:NAME",
            "help": "A language model for intake, rewards and decisions; left out, rules.",
        },
    ),
    ("--base-url", {"metavar": "URL", "help": "Of a local or compatible server."}),
    ("--key-variable", {"metavar": "NAME", "help": "Environment variable that holds the key."}),
    ("--model-tokens", {"type": int, "help": "Tokens that the run may spend."}),
    ("--model-cost", {"type": float, "metavar": "USD", "help": "Money that the run may spend."}),
    ("--rewards", {"metavar": "AGENT", "help": "Who writes rewards: templates, model, …"}),
    ("--decisions", {"metavar": "AGENT", "help": "Who decides after an evaluation: rules, model, …"}),
)
_PLACE: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--python",
        {"metavar": "PATH", "help": "Interpreter of the workers instead of the managed environment."},
    ),
    ("--runs-dir", {"metavar": "DIR", "help": "Where the runs are.  [default: robosmith_runs]"}),
)
ALL = (*_TASK, *_JUDGEMENT, *_BUDGET, *_MODEL, *_PLACE)


def setting_options(function: F) -> F:
    """Add an option for every setting, and `--config`."""
    function = click.option(
        "--config",
        "config_file",
        metavar="FILE",
        help="Settings as YAML.  [default: robosmith.yaml, where there is one]",
    )(function)
    for flag, declared in reversed(ALL):
        function = click.option(flag, envvar=variable(name_of(flag)), **declared)(function)
    return function


def runs_dir_option(function: F) -> F:
    """Add `--runs-dir` to a command that has no other settings; the configuration file counts too."""
    return click.option(
        "--runs-dir", envvar=variable("runs_dir"), metavar="DIR", help=dict(_PLACE)["--runs-dir"]["help"]
    )(function)


def name_of(flag: str) -> str:
    """Return the setting of an option: `--total-steps` → `total_steps`."""
    return flag.removeprefix("--").replace("-", "_")


def flag_of(name: str) -> str:
    """Return the option of a setting."""
    return f"--{name.replace('_', '-')}"


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def settings_of(ctx: click.Context, *, only: tuple[str, ...] = ()) -> Effective:
    """Return the effective settings of a command with `setting_options`.

    Args:
        ctx: Of the command.
        only: The settings that the command has; none: all of them.

    Raises:
        UsageError: A value, the file or one of its keys is not accepted.
    """
    from click.core import ParameterSource

    from rpent_robosmith.config import SmithConfig, effective

    given: dict[str, tuple[Any, str]] = {}
    for name in only or SmithConfig.model_fields:
        source = ctx.get_parameter_source(name)
        if source == ParameterSource.COMMANDLINE:
            given[name] = (_value(name, ctx.params[name]), f"option {flag_of(name)}")
        elif source == ParameterSource.ENVIRONMENT:
            given[name] = (_value(name, ctx.params[name]), f"variable {variable(name)}")
    return effective(given, file=ctx.params.get("config_file"))


def _value(name: str, value: Any) -> Any:
    return _pairs(value) if name == "hyperparameter" else value


def _pairs(texts: tuple[str, ...]) -> dict[str, Any]:
    import yaml
    from rpent.errors import UsageError

    pairs: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                f"`--hyperparameter {text}` is not written `NAME=VALUE`.", hint="`learning_rate=0.001`"
            )
        try:
            pairs[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            pairs[key.strip()] = value
    return pairs
