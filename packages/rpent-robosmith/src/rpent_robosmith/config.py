"""The effective configuration of a run, and where each value comes from.

A command line option wins over an environment variable (`RPENT_SMITH_<NAME>`), that over the configuration file
(`robosmith.yaml` in the working folder, or `--config`), that over the default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError, field_validator
from rpent.errors import UsageError, clause
from rpent.home import expanded
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.data import Data
from rpent_robosmith.task import (
    METRICS,
    MOST_MINUTES,
    MOST_STEPS,
    OPERATORS,
    Budget,
    Criterion,
    EvaluationPlan,
    TaskSpec,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_FILES = ("robosmith.yaml", "robosmith.yml")
_CRITERION = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(>=|<=|==|>|<)\s*(\S+)\s*\Z")


class SmithConfig(Data):
    """Every setting of `rpent smith run`; the keys of the configuration file are these names."""

    environment: str | None = None
    robot: str | None = None
    framework: str | None = None
    algorithm: str | None = None
    criterion: tuple[str, ...] = ("success_rate>=0.8",)
    safety: tuple[str, ...] = ()
    margin: float = Field(0.1, ge=0, le=1)
    total_steps: int | None = Field(None, ge=1, le=MOST_STEPS)
    minutes: float | None = Field(None, gt=0, le=MOST_MINUTES)
    training_minutes: float | None = Field(None, gt=0, le=MOST_MINUTES)
    iterations: int = Field(3, ge=1, le=20)
    candidates: int = Field(4, ge=1, le=64)
    episodes: int = Field(20, ge=1, le=10_000)
    confidence: float = Field(0.95, gt=0.5, lt=1)
    seed: int = Field(0, ge=0, lt=2**31)
    hyperparameter: dict[str, Any] = {}
    dataset: str | None = None
    scene: str | None = None
    """A file, YAML or JSON."""
    rewards: str | None = None
    """A reward agent; None is `model` with a model and `templates` without."""
    decisions: str | None = None
    """A decision agent; None is `model` with a model and `rules` without."""
    model: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    model_tokens: int | None = Field(None, ge=1)
    model_cost: float | None = Field(None, gt=0, allow_inf_nan=False)
    python: str | None = None
    """Interpreter of the workers instead of the managed environment."""
    runs_dir: str = "robosmith_runs"

    @field_validator("criterion", "safety", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("criterion", "safety")
    @classmethod
    def _criteria_are_readable(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            criterion_of(text)
        return value


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings, and where each comes from: `default`, a file, a variable or an option."""

    config: SmithConfig
    sources: dict[str, str]

    @property
    def stated(self) -> tuple[str, ...]:
        """The settings that are not defaults."""
        return tuple(name for name, source in self.sources.items() if source != "default")


def effective(given: Mapping[str, tuple[Any, str]], *, file: str | None = None) -> Effective:
    """Put the settings together.

    Args:
        given: Setting → value and source (`option --seed`, `variable RPENT_SMITH_SEED`).
        file: The configuration file; None looks for one in the working folder.

    Raises:
        UsageError: The file is missing or not YAML, a key is unknown, a value is not accepted.
    """
    path = _file(file)
    values = dict.fromkeys(SmithConfig.model_fields, (None, "default"))
    if path is not None:
        values |= {key: (value, f"file {path}") for key, value in _read(path).items()}
    values |= given
    set_ = {key: value for key, (value, source) in values.items() if source != "default"}
    try:
        config = SmithConfig.model_validate(set_)
    except ValidationError as error:
        raise _refused(error, values) from None
    return Effective(config, {key: source for key, (_, source) in values.items()})


def task_of(sentence: str, settings: Effective) -> TaskSpec:
    """Return the task that the user states; intake completes it.

    Raises:
        UsageError: The scene's file cannot be read, or a value is not accepted.
    """
    config = settings.config
    return TaskSpec(
        sentence=sentence,
        environment=config.environment,
        robot=config.robot,
        framework=config.framework,
        scene=_scene(config.scene),
        algorithm=config.algorithm,
        criteria=tuple(criterion_of(text) for text in config.criterion),
        safety=tuple(criterion_of(text) for text in config.safety),
        margin=config.margin,
        seed=config.seed,
        iterations=config.iterations,
        candidates=config.candidates,
        budget=Budget(
            total_steps=config.total_steps,
            minutes=config.minutes,
            training_minutes=config.training_minutes,
            model_tokens=config.model_tokens,
            model_cost_usd=config.model_cost,
        ),
        evaluation=EvaluationPlan(episodes=config.episodes, confidence=config.confidence),
        hyperparameters=config.hyperparameter,
        dataset=_existing(config.dataset),
        stated=_stated(settings.stated),
    )


_FIELDS = {
    "criterion": ("criteria",),
    "hyperparameter": ("hyperparameters",),
    "total_steps": ("budget.total_steps",),
    "minutes": ("budget.minutes",),
    "training_minutes": ("budget.training_minutes",),
    "model_tokens": ("budget.model_tokens",),
    "model_cost": ("budget.model_cost_usd",),
    "episodes": ("evaluation.episodes",),
    "confidence": ("evaluation.confidence",),
}
"""Setting → what it states of a task spec, where the names differ."""


def _stated(settings: tuple[str, ...]) -> tuple[str, ...]:
    names = [name for setting in settings for name in _FIELDS.get(setting, (setting,))]
    return tuple(dict.fromkeys(name for name in names if name.partition(".")[0] in TaskSpec.model_fields))


def criterion_of(text: str) -> Criterion:
    """Read `success_rate>=0.9`.

    Raises:
        ValueError: It is not written so, or the metric or the operator is unknown.
    """
    match = _CRITERION.match(text)
    if match is None:
        raise ValueError(
            f"`{text}` is no criterion: write a metric, an operator and a number, `success_rate>=0.9`"
        )
    metric, operator, number = match.groups()
    if operator not in OPERATORS:
        raise ValueError(f"`{operator}` in `{text}` is no operator; there are {listing(OPERATORS)}")
    if metric not in METRICS and not metric.startswith("mean_"):
        raise ValueError(
            f"`{metric}` is no metric{did_you_mean(metric, METRICS)} Every environment has {listing(METRICS)}, "
            "and `mean_<measure>` for each of its measures (`rpent smith envs ID`)"
        )
    try:
        threshold = float(number)
    except ValueError:
        raise ValueError(f"`{number}` in `{text}` is no number") from None
    if threshold != threshold:  # noqa: PLR0124  (NaN)
        raise ValueError(f"`{text}` would never hold")
    return Criterion(metric=metric, operator=operator, threshold=threshold)


def _file(given: str | None) -> Path | None:
    if given is not None:
        path = expanded(given)
        if not path.is_file():
            raise UsageError(
                f"There is no configuration file `{given}`.", hint="`--config` names a YAML file."
            )
        return Path(given)
    return next((path for path in map(Path, CONFIG_FILES) if path.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    values = _yaml(path, "configuration file")
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise UsageError(f"`{path}` holds no settings.", hint="Write one a line: `seed: 1`.")
    for key in values:
        if key not in SmithConfig.model_fields:
            raise UsageError(
                f"`{path}` has the unknown key `{key}`{did_you_mean(str(key), SmithConfig.model_fields)}",
                hint="`rpent smith config` lists all settings.",
            )
    return {str(key): value for key, value in values.items() if value is not None}


def _yaml(path: Path, what: str) -> Any:
    import yaml  # noqa: PLC0415

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"The {what} `{path}` cannot be read: {error.strerror or error}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"The {what} `{path}` is not YAML: {clause(error)}.") from error


def _scene(name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    scene = _yaml(expanded(name), "scene")
    if not isinstance(scene, dict):
        raise UsageError(
            f"The scene `{name}` holds no description.", hint="See `rpent smith run --help`: `--scene`."
        )
    return scene


def _existing(dataset: str | None) -> str | None:
    if dataset is not None and not expanded(dataset).exists():
        raise UsageError(
            f"There is no file or folder `{dataset}` for `--dataset`.",
            hint="A dataset is on this machine: `rpent smith inspect dataset PATH` reads it.",
        )
    return dataset


def _refused(error: ValidationError, values: Mapping[str, tuple[Any, str]]) -> UsageError:
    problem = error.errors()[0]
    name = str(problem["loc"][0]) if problem["loc"] else "configuration"
    value, source = values.get(name, (None, "configuration"))
    why = problem["msg"].removeprefix("Value error, ")
    return UsageError(
        f"`{name}` ({source}) is `{value}`, which is not accepted: {why[:1].lower() + why[1:]}.",
        hint="`rpent smith run --help` says what is.",
    )
