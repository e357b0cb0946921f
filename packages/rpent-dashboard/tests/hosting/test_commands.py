"""Commands as they are typed, and what completion offers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from enum import Enum
from typing import Literal

import pytest
from pydantic import BaseModel, Field, SecretStr
from rpent.specs import Choice, DashboardSpec
from rpent_dashboard.hosting import robots_choices
from rpent_dashboard.hosting.commands import TaskFields, parse_task
from rpent_dashboard.hosting.completion import complete
from rpent_dashboard.hosting.errors import FieldError
from rpent_dashboard.hosting.forms import schema_of
from rpent_dashboard.hosting.words import split

from .conftest import choices


class Hand(Enum):
    LEFT = "left"
    RIGHT = "right"


class Config(BaseModel):
    suite: str = Field(
        "kitchen", description="Which suite.", json_schema_extra={"choices": ["kitchen", "the hall"]}
    )
    task: int = Field(0, ge=0, lt=4)
    seed: int = Field(0, ge=0)
    hand: Hand = Hand.LEFT
    speed: Literal["slow", "fast"] | None = None
    lights: bool = True
    names: list[str] = []
    options: dict[str, int] = {}
    key: SecretStr = SecretStr("")
    callback: Callable[[], int] | None = None
    inner: int = Field(0, json_schema_extra={"cli": False})


SPEC = DashboardSpec(task_fields=("suite", "task", "seed"))
FIELDS = TaskFields.of(SPEC, Config)
EVERYTHING = TaskFields.of(DashboardSpec(), Config)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("/rpent-task", {}),
        ("/rpent-task kitchen 3", {"suite": "kitchen", "task": "3"}),
        ("/rpent-task 'the hall' 3 7", {"suite": "the hall", "task": "3", "seed": "7"}),
        ("/rpent-task task=2 kitchen 5", {"task": "2", "suite": "kitchen", "seed": "5"}),
        ('/rpent-task suite="the hall"', {"suite": "the hall"}),
        ("/rpent-task --seed=5", {"seed": "5"}),
        ("/rpent-task lights=off speed=none", {"lights": False, "speed": None}),
        ("/rpent-task names=a,b options='{\"a\": 1}'", {"names": ["a", "b"], "options": {"a": 1}}),
        ("/rpent-task  a\\ b", {"suite": "a b"}),
        ("/rpent-task suite=", {"suite": ""}),
    ],
)
def test_a_task_command_is_read(line, values):
    assert parse_task(line, FIELDS) == values


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("/rpent-tsk 1", "There is no command `/rpent-tsk`; did you mean `/rpent-task`?"),
        ("/rpent-task sed=1", "There is no field `sed`; did you mean `seed`?"),
        ("/rpent-task inner=1", "There is no field `inner`."),
        ("/rpent-task a 1 2 3", "`3` is one value too many."),
        ("/rpent-task task=1 task=2", "`task` is given twice."),
        ("/rpent-task 'the hall", "A quotation mark is not closed."),
        ("/rpent-task --seed 5", "`--seed` has no value."),
        ("/rpent-task options={", "`options` is `{`, which is not JSON."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(line, says):
    with pytest.raises(FieldError) as caught:
        parse_task(line, FIELDS)
    assert caught.value.message == says


def test_a_robot_without_a_say_offers_its_whole_model():
    assert EVERYTHING.positional == [name for name in Config.model_fields if name != "inner"]
    assert FIELDS.usage == "/rpent-task [suite] [task] [seed] [field=value …]"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a  b", [(0, 1, "a"), (3, 4, "b")]),
        ("a 'b c'", [(0, 1, "a"), (2, 7, "b c")]),
        ("x='b c", [(0, 6, "x=b c")]),
        ('"', [(0, 1, "")]),
        ("a\\", [(0, 2, "a")]),
        ('"a b\\" c" d', [(0, 9, 'a b" c'), (10, 11, "d")]),
    ],
)
def test_words_know_their_places(line, words):
    assert [(word.start, word.end, word.text) for word in split(line)] == words


def offered(line, *, spec=SPEC, fields=FIELDS, cursor=None):
    answer = complete(line, len(line) if cursor is None else cursor, fields=fields, spec=spec, values={})
    return answer["start"], answer["end"], [option["insert"] for option in answer["options"]]


def test_command_names():
    assert offered("/") == (0, 1, ["/rpent-task ", "/interrupt", "/stop", "/help"])
    assert offered("/rp") == (0, 3, ["/rpent-task "])
    assert offered("/rpent-task 1", cursor=3) == (0, 11, ["/rpent-task "])
    assert offered("hello /rp") == (9, 9, [])
    assert offered("/stop ") == (6, 6, [])


def test_values_come_from_the_model():
    start, end, options = offered("/rpent-task ")
    assert (start, end) == (12, 12)
    assert options[:3] == ["kitchen", "'the hall'", "suite="]
    assert offered("/rpent-task kitchen ")[2][:4] == ["0", "1", "2", "3"]
    assert offered("/rpent-task kit")[2] == ["kitchen"]
    assert offered("/rpent-task hall")[2] == ["'the hall'"]
    assert offered("/rpent-task hand=") == (17, 17, ["left", "right"])
    assert offered("/rpent-task speed=f") == (18, 19, ["fast"])
    assert offered("/rpent-task lights=")[2] == ["true", "false"]
    assert offered("/rpent-task suite='the") == (18, 22, ["'the hall'"])


def test_names_of_fields_that_are_not_given_yet():
    assert "task=" not in offered("/rpent-task task=1 ")[2]
    assert offered("/rpent-task nam")[2] == ["names="]
    assert offered("/rpent-task kitchen 1 2 h")[2] == ["hand="]


def test_in_the_middle_of_a_line_the_word_at_the_cursor_is_replaced():
    assert offered("/rpent-task kitchen 2", cursor=15) == (12, 19, ["kitchen"])


def test_the_robots_own_choices_depend_on_the_other_fields(module):
    spec = DashboardSpec(task_fields=("task", "seed"), choices=f"{module(choices=choices)}:choices")
    fields = TaskFields.of(spec, Config)
    answer = complete("/rpent-task ", 12, fields=fields, spec=spec, values={})
    assert answer["options"][1] == {"insert": "1", "label": "the green cube"}
    assert offered("/rpent-task 2 ", spec=spec, fields=fields)[2][:2] == ["20", "21"]
    assert offered("/rpent-task green", spec=spec, fields=fields)[2] == ["1"]
    # Where the robot's own list fails, the model's holds.
    assert offered("/rpent-task hand=", spec=spec, fields=fields)[2] == ["left", "right"]


def exits(field, values):
    raise SystemExit(3)


def without_end(field, values):
    number = 0
    while True:
        yield Choice(value=(number := number + 1), label="x" * 10_000)


@pytest.mark.parametrize(
    ("choices", "inserted"),
    [
        (lambda field, values: None, ["0", "1", "2", "3"]),
        (lambda field, values: [1, "x", None, {"a": 1}], ["0", "1", "2", "3"]),
        (exits, ["0", "1", "2", "3"]),
        (
            lambda field, values: [Choice(value="\ud83d", label=5), Choice(value=float("nan"))],
            ["'�'", "suite="],
        ),
        (without_end, ["1", "2", "3", "4"]),
    ],
)
def test_a_robot_that_answers_nonsense_costs_its_choices_only(module, choices, inserted):
    spec = DashboardSpec(task_fields=("task",), choices=f"{module(choices=choices)}:choices")
    answer = complete("/rpent-task ", 12, fields=TaskFields.of(spec, Config), spec=spec, values={})
    assert [option["insert"] for option in answer["options"]][: len(inserted)] == inserted
    assert len(json.dumps(answer, allow_nan=False)) < 100_000


def test_a_robot_that_does_not_answer_is_not_waited_for_again_until_it_has(module, monkeypatch):
    asked, answers = [], threading.Event()

    def late(field, values):
        asked.append(field)
        answers.wait(30)
        return [Choice(value=2)]

    spec = DashboardSpec(task_fields=("task",), choices=f"{module(choices=late)}:choices")
    fields = TaskFields.of(spec, Config)
    monkeypatch.setattr(robots_choices, "PATIENCE_S", 0.1)
    for _ in range(3):
        assert offered("/rpent-task ", spec=spec, fields=fields)[2][:2] == ["0", "1"]
    assert asked == ["task"]
    answers.set()
    robots_choices._unanswered[spec.choices].join(10)
    assert offered("/rpent-task ", spec=spec, fields=fields)[2][:2] == ["2", "suite="]


def test_schemas_for_forms():
    schema = schema_of(Config, values={"task": 2, "key": "secret"})
    properties = schema["properties"]
    assert "type" not in properties["callback"]
    assert "inner" not in properties
    assert properties["suite"]["enum"] == ["kitchen", "the hall"]
    assert properties["task"]["default"] == 2
    assert properties["key"]["writeOnly"] is True
    assert "default" not in properties["key"]
    assert list(schema_of(Config, fields=["seed", "task"])["properties"]) == ["seed", "task"]
