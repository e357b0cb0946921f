from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import click
import pytest
from click.testing import CliRunner
from pydantic import BaseModel, Field
from rpent.cli.options import given, option_name, options_from_model
from rpent.config import build_config
from rpent.errors import UsageError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Config(BaseModel):
    needed: str = Field(description="A required text.")
    count: int = Field(3, ge=1, le=9, description="How many.")
    ratio: Annotated[float, Field(gt=0, lt=1)] = Field(0.5, description="A share.")
    level: Literal[1, 2] = Field(1, description="A level.")
    colour: Colour = Field(Colour.RED, description="A colour.")
    camera: str = Field("top", description="A camera.", json_schema_extra={"choices": ["top", "side"]})
    depth: bool = Field(False, description="Whether to see depth.")
    places: list[str] = Field(["a"], description="Where.")
    extra: dict[str, int] = Field(default_factory=dict, description="More.")
    file: Path | None = Field(None, description="A file.")
    secret: str = Field("", json_schema_extra={"cli": False})


def parse(*args, env=None):
    options = options_from_model(Config, env_prefix="RPENT_X")
    seen = {}

    @click.command(params=options)
    @click.pass_context
    def command(ctx, /, **_values):
        seen.update(given(ctx, options))

    result = CliRunner().invoke(command, args, env=env)
    return result, seen


def test_only_what_was_given_is_passed_on():
    result, seen = parse("--needed", "x")
    assert result.exit_code == 0
    assert seen == {"needed": "x"}


def test_values_are_converted_and_fit_the_model():
    _, seen = parse(
        *("--needed", "x", "--count", "4", "--ratio", "0.25", "--level", "2", "--colour", "blue", "--depth"),
        *("--places", "b", "--places", "c", "--extra", '{"k": 1}', "--file", "f.txt", "--camera", "side"),
    )
    config = build_config(Config, seen, what="robot `x`")
    assert config.model_dump() == {
        "needed": "x",
        "count": 4,
        "ratio": 0.25,
        "level": 2,
        "colour": Colour.BLUE,
        "camera": "side",
        "depth": True,
        "places": ["b", "c"],
        "extra": {"k": 1},
        "file": Path("f.txt"),
        "secret": "",
    }


def test_environment_variables_are_read():
    _, seen = parse(env={"RPENT_X_NEEDED": "from env", "RPENT_X_COUNT": "5"})
    assert seen == {"needed": "from env", "count": 5}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "Missing option '--needed'"),
        (["--needed", "x", "--count", "10"], "10 is not in the range 1<=x<=9"),
        (["--needed", "x", "--ratio", "1"], "1.0 is not in the range 0<x<1"),
        (
            ["--needed", "x", "--colour", "blu"],
            "`blu` is not accepted; did you mean `blue`? Accepted: `red`, `blue`.",
        ),
        (["--needed", "x", "--level", "3"], "`3` is not accepted. Accepted: `1`, `2`."),
        (["--needed", "x", "--extra", "{"], "`{` is not JSON"),
    ],
)
def test_bad_values_are_refused_with_what_is_accepted(args, message):
    result, _ = parse(*args)
    assert result.exit_code == 2
    assert message in result.output


def test_help_shows_description_default_and_variable():
    result, _ = parse("--help")
    text = " ".join(result.output.split())
    assert "--count INTEGER RANGE How many. [default: 3] [env var: RPENT_X_COUNT; 1<=x<=9]" in text
    assert "--depth / --no-depth Whether to see depth. [default: off]" in text
    assert "--secret" not in text


def test_a_taken_option_gets_a_prefix():
    names = {
        option_name(option)
        for option in options_from_model(Config, taken=frozenset({"--count"}), rename="planner")
    }
    assert "--planner-count" in names
    assert "--count" not in names


def test_a_mistake_in_a_config_is_one_sentence():
    with pytest.raises(UsageError, match="The robot `x` has no option `--cout`; did you mean `count`"):
        build_config(Config, {"needed": "x", "cout": 1}, what="robot `x`", names={"cout": "--cout"})
    with pytest.raises(UsageError, match="`--count` is `99`: input should be less than or equal to 9"):
        build_config(Config, {"needed": "x", "count": 99}, what="robot `x`", names={"count": "--count"})
    with pytest.raises(UsageError, match="The robot `x` needs `needed`"):
        build_config(Config, {}, what="robot `x`")
