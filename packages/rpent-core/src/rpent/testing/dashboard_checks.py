"""What the contracts ask of a robot's `DashboardSpec`: whatever it names is there, and what it offers is accepted."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

from rpent.config import build_config, check_incomplete
from rpent.errors import RpentError
from rpent.specs import Choice, load_object
from rpent.testing.plugin_contract import HEAVY
from rpent.tools.tool import marker_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import BaseModel

    from rpent.specs import RobotSpec
    from rpent.tools.toolkit import Toolkit

_ASK = """
import sys, rpent.specs as s
choices = s.load_object(sys.argv[1])
for field in sys.argv[2:]:
    list(choices(field, {}))
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def check_task_fields(spec: RobotSpec) -> None:
    """Each task field is one of the config model's, named once; service labels name services."""
    model: type[BaseModel] = load_object(spec.config)
    fields = spec.dashboard.task_fields
    unknown = [name for name in fields if name not in model.model_fields]
    assert not unknown, f"`task_fields` names {unknown}, which `{model.__name__}` does not have"
    assert len(set(fields)) == len(fields), f"`task_fields` names a field twice: {fields}"
    known = {"vla", "perception", *(service.name for service in spec.services)}
    strange = [name for name, _ in spec.dashboard.service_labels if name not in known]
    assert not strange, f"`service_labels` names {strange}, which are no services of the robot"


def check_choices(spec: RobotSpec, config: Mapping[str, Any]) -> None:
    """What is offered for a task is accepted, and asking for it brings in nothing heavy.

    Args:
        spec: The robot.
        config: Values of options that are no part of the task, as far as the robot needs them.
    """
    if not spec.dashboard.choices:
        return
    model: type[BaseModel] = load_object(spec.config)
    fields = spec.dashboard.task_fields or tuple(model.model_fields)
    _check_light(spec.dashboard.choices, fields)
    choices = load_object(spec.dashboard.choices)
    values = {name: value for name, value in config.items() if name not in fields}
    for field in fields:
        offered = list(choices(field, dict(values)))
        for choice in offered:
            assert isinstance(choice, Choice), f"`choices` yields a `{type(choice).__name__}` for `{field}`"
            _check_accepted(spec, model, field, {**values, field: choice.value})
        for choice in (*offered[:1], *offered[-1:]):
            _check_task(spec, model, {**values, field: choice.value})
        if offered:
            values[field] = offered[0].value


def check_primitives(spec: RobotSpec, toolkit: Toolkit) -> None:
    """Each primitive is a tool of the robot, whether or not it is offered with the services of the test."""
    members = (vars(kind).items() for kind in type(toolkit).__mro__)
    declared = {name for found in members for name, member in found if marker_of(member) is not None}
    tools = declared | {tool.name for tool in toolkit.tools()}
    unknown = [name for name in spec.dashboard.primitives if name not in tools]
    assert not unknown, f"`primitives` names {unknown}, which are no tools of the robot"


def check_frames(spec: RobotSpec, cameras: Iterable[str]) -> None:
    """Each frame channel's camera is one that the env server has."""
    known = list(cameras)
    unknown = [frame.camera for frame in spec.dashboard.frames if frame.camera not in known]
    assert not unknown, f"`frames` names the cameras {unknown}; the env server has {known}"


def _check_light(choices: str, fields: Sequence[str]) -> None:
    command = [sys.executable, "-c", _ASK, choices, *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"`{choices}` cannot be asked: {done.stderr.strip().splitlines()[-1:]}"
    heavy = sorted((set(HEAVY) - {"pydantic"}) & set(done.stdout.split()))
    assert not heavy, f"`{choices}` brings in {heavy}; it is asked while somebody types"


def _check_accepted(spec: RobotSpec, model: type[BaseModel], field: str, values: Mapping[str, Any]) -> None:
    try:
        check_incomplete(model, values, what=f"robot `{spec.name}`", absent=frozenset(model.model_fields))
    except RpentError as error:
        raise AssertionError(f"`choices` offers `{values[field]}` for `{field}`: {error.message}") from error


def _check_task(spec: RobotSpec, model: type[BaseModel], values: Mapping[str, Any]) -> None:
    """The robot can be set up for the task, once nothing is missing."""
    if any(field.is_required() and name not in values for name, field in model.model_fields.items()):
        return
    try:
        load_object(spec.robot)(build_config(model, values, what=f"robot `{spec.name}`")).setup()
    except RpentError as error:
        raise AssertionError(f"`choices` leads to the task {dict(values)}: {error.message}") from error
