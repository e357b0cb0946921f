"""`rpent check planner` with planners that are installed for the test; one of them really reads the picture."""

import json

import pytest
from rpent.errors import ExitCode

PLUGIN = """
    from rpent.api import PlannerSpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_planners():
        home = "painter"
        yield PlannerSpec(name="painter", summary="s", planner=f"{home}:Painter", config=f"{home}:Config")
    """
PLANNER = """
    import io

    import numpy as np
    from PIL import Image
    from pydantic import Field
    from rpent.api import ModelConfig, ModelError, Usage, model_error, reply_parts
    from rpent.planners.trial_toolkit import COLOURS

    class Config(ModelConfig):
        model: str | None = Field("painter-1", description="The model.")
        behaviour: str = Field("sees", description="What it does.")

    class Painter:
        def __init__(self, config):
            self.config = config

        def check(self, limits):
            if self.config.behaviour == "no key":
                raise model_error("key", planner="painter", key_variable="PAINTER_KEY_THAT_IS_NOT_SET")

        def run(self, session):
            behaviour = self.config.behaviour
            if behaviour == "silent":
                session.begin_turn()
                session.say("Hello.")
                while session.nudge():
                    session.begin_turn()
                return
            if behaviour == "rate limit":
                session.notice("The provider limits the rate of requests; trying again in 1 s (1 of 5).")
                raise model_error("rate_limit", planner="painter", model="painter-1", detail="slow down")
            if behaviour == "bug":
                raise KeyError("oh")
            said = "a red shape"
            if behaviour != "does not look":
                session.begin_turn()
                parts = reply_parts(session.call("look"), self.config.images)
                session.report_usage(Usage(input_tokens=1200, output_tokens=30, cost_usd=0.01, model="painter-1b"))
                said = "red, green, blue or yellow" if behaviour == "guesses" else self.see(parts)
            session.begin_turn()
            session.call("finish", {"status": "success", "summary": said})

        def see(self, parts):
            pictures = [part for part in parts if not isinstance(part, str)]
            if not pictures:
                return "No picture reached me."
            pixels = np.asarray(Image.open(io.BytesIO(pictures[0].data)), np.int64)
            middle = pixels[80, 80]
            colour = min(COLOURS, key=lambda name: np.abs(middle - np.array(COLOURS[name])).sum())
            return f"It shows a {colour} shape."
    """


@pytest.fixture
def painter(plugin_site):
    plugin_site.add(
        "rpent-planner-painter",
        entry_points={"rpent.planners": {"painter": "painter_plugin"}},
        modules={"painter_plugin.py": PLUGIN, "painter.py": PLANNER},
        requires=("rpent-core", "pillow>=1", "no-such-sdk"),
    )


def test_a_planner_that_sees(painter, run_cli):
    result = run_cli("check", "planner", "painter", "--base-url", "http://127.0.0.1:1/v1")
    assert result.exit_code == ExitCode.SUCCESS, result.stderr
    assert "rpent-planner-painter 1.0.0, pillow" in result.stdout
    assert "no-such-sdk missing" in result.stdout
    assert "painter-1b" in result.stdout
    assert "http://127.0.0.1:1/v1" in result.stdout
    assert "1,200 tokens in, 30 out, 0.0100 USD" in result.stdout
    assert "understood: a " in result.stdout
    assert "ok: the planner `painter` can be used." in result.stdout


def test_json(painter, run_cli):
    result = run_cli("check", "planner", "painter", "--json")
    report = json.loads(result.stdout)
    assert report["schema"] == 1
    assert report["ok"] is True
    assert report["understood"] is True
    assert report["turns"] == 2
    assert report["first_call_s"] is not None
    assert report["total_s"] >= report["first_call_s"]
    assert report["software"]["rpent-planner-painter"] == "1.0.0"


def test_without_pictures_it_warns(painter, run_cli):
    result = run_cli("check", "planner", "painter", "--no-images")
    assert result.exit_code == ExitCode.SUCCESS
    assert "Warning: Pictures are off" in result.stdout
    assert "not understood" in result.stdout


@pytest.mark.parametrize(
    ("behaviour", "sentence", "remedy"),
    [
        (
            "no key",
            "has no key: `PAINTER_KEY_THAT_IS_NOT_SET` is not set.",
            "export PAINTER_KEY_THAT_IS_NOT_SET=",
        ),
        ("rate limit", "limits the rate of requests (slow down).", "Wait a little."),
        ("silent", "The planner came to no `finish`", "Take a `--model` that calls tools"),
        (
            "does not look",
            "The planner finished without calling `look`.",
            "Take a `--model` that calls tools",
        ),
        ("guesses", "The picture was not understood: it shows a ", "`--no-images`"),
        ("bug", "The planner failed: KeyError: 'oh'", "It was raised in"),
    ],
)
def test_what_is_wrong_and_what_to_do(painter, run_cli, behaviour, sentence, remedy):
    result = run_cli("check", "planner", "painter", "--behaviour", behaviour)
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert sentence in result.stderr
    assert remedy in result.stderr
    assert "Traceback" not in result.stderr
    report = json.loads(run_cli("check", "planner", "painter", "--behaviour", behaviour, "--json").stdout)
    assert report["ok"] is False
    assert sentence in report["error"]
    assert report["notices"] == [
        "The provider limits the rate of requests; trying again in 1 s (1 of 5)."
    ] * (behaviour == "rate limit")


def test_its_options_are_those_of_a_run(painter, run_cli):
    text = run_cli("check", "planner", "painter", "--help").stdout
    assert "Options of the planner `painter`" in text
    assert "--images / --no-images" in text
    assert "RPENT_PAINTER_MODEL" in text
    assert run_cli("check", "planner", "painter", "--max-retries", "-1").exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "Missing argument 'NAME'"),
        (["paintr"], "No planner is named `paintr`; did you mean `painter`?"),
        (["replay", "--recipe", "x"], "The planner `replay` calls no language model"),
    ],
)
def test_wrong_usage(painter, run_cli, args, sentence):
    result = run_cli("check", "planner", *args)
    assert result.exit_code == ExitCode.USAGE
    assert sentence in result.stderr
