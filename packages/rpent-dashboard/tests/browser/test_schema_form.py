"""Forms made from pydantic's schemas, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MAKE = """async ([schema, options]) => {
  const { schemaForm } = await import("/static/js/forms/schema_form.js");
  window.form = schemaForm(schema, options);
  document.querySelector("main").replaceChildren(form.node);
}"""


class Grip(BaseModel):
    """How it grips."""

    force: float = Field(1.5, ge=0, le=10)
    tool: Literal["fingers", "suction"] = "fingers"


class Everything(BaseModel):
    """Each kind of field once."""

    count: int = Field(3, ge=0, lt=100, description="How many.")
    speed_m: float = Field(gt=0)
    name: str = "cube"
    note: str | None = None
    mode: Literal["fast", "slow"] = "slow"
    effort: Literal["low", "high"] | None = "low"
    verbose: bool = False
    maybe: bool | None = None
    xyz: tuple[float, float, float]
    sizes: list[int] = Field([], max_length=2)
    grip: Grip = Grip()
    extra: dict[str, Any] = {}
    key: SecretStr | None = None
    file: Path | None = None
    either: int | str = "auto"
    hidden: Annotated[int, Field(json_schema_extra={"cli": False})] = 0


def make(page: Page, model: type[BaseModel], **options: Any) -> Page:
    """Show a model's form."""
    page.evaluate(MAKE, [model.model_json_schema(), options])
    return page


def field(page: Page, label: str) -> Any:
    """The control with a label."""
    return page.get_by_label(label, exact=True)


def values(page: Page) -> dict[str, Any]:
    """What the form would send."""
    assert page.evaluate("form.validate()"), page.locator(".field-error:not(:empty)").all_inner_texts()
    return page.evaluate("form.values()")


@pytest.fixture
def page(offline: Any) -> Page:
    """An empty page."""
    return offline.page("/blank")


def test_untouched_optional_fields_are_left_out(page: Page) -> None:
    make(page, Everything)
    assert field(page, "Count").input_value() == "3"
    field(page, "Speed (m) *").fill("0.25")
    for part, value in zip("xyz", ("0.1", "-2", "3e-1"), strict=True):
        field(page, part).fill(value)
    assert values(page) == {"speed_m": 0.25, "xyz": [0.1, -2, 0.3]}
    assert page.get_by_text("Hidden").count() == 0


def test_everything_that_was_touched_is_sent_and_valid(page: Page) -> None:
    make(page, Everything)
    field(page, "Count").fill("7")
    field(page, "Speed (m) *").fill("2")
    field(page, "Name").fill("red cube")
    field(page, "Note").fill("careful")
    field(page, "Mode").select_option("fast")
    field(page, "Effort").select_option("Not set")
    field(page, "Verbose").check()
    field(page, "Maybe").select_option("No")
    for part in "xyz":
        field(page, part).fill("1")
    field(page, "Sizes").fill("4\n5\n")
    field(page, "Force").fill("2.5")
    field(page, "Extra").fill('{"a": [1]}')
    field(page, "Key").fill("hush")
    field(page, "File").fill("/tmp/x")
    field(page, "Either").fill("12")
    sent = values(page)
    assert sent == {
        "count": 7,
        "speed_m": 2,
        "name": "red cube",
        "note": "careful",
        "mode": "fast",
        "effort": None,
        "verbose": True,
        "maybe": False,
        "xyz": [1, 1, 1],
        "sizes": [4, 5],
        "grip": {"force": 2.5, "tool": "fingers"},
        "extra": {"a": [1]},
        "key": "hush",
        "file": "/tmp/x",
        "either": 12,
    }
    Everything.model_validate(sent)
    assert field(page, "Key").get_attribute("type") == "password"


def test_given_values_are_sent_and_defaults_come_back(page: Page) -> None:
    make(
        page, Everything, values={"name": "ball", "speed_m": 1, "xyz": [1, 2, 3], "grip": {"tool": "suction"}}
    )
    assert field(page, "y").input_value() == "2"
    assert values(page) == {"name": "ball", "speed_m": 1, "xyz": [1, 2, 3], "grip": {"tool": "suction"}}
    field(page, "Name").fill("")
    assert "name" not in values(page)


@pytest.mark.parametrize(
    ("label", "text", "problem"),
    [
        ("Count", "2.5", "Only whole numbers."),
        ("Count", "100", "Accepted: 0 to 99."),
        ("Count", "many", "This is not a number."),
        ("Speed (m) *", "0", "Accepted: more than 0."),
        ("Speed (m) *", "", "A value is needed."),
        ("y", "", "y: A value is needed."),
        ("z", "up", "z: This is not a number."),
        ("Sizes", "1\ntwo", "Line 2: This is not a number."),
        ("Sizes", "1\n2\n3", "At most 2 lines."),
        ("Extra", "{", "This is not valid JSON."),
        ("Force", "11", "Accepted: 0 to 10."),
    ],
)
def test_a_bad_value_is_refused_at_its_field(page: Page, label: str, text: str, problem: str) -> None:
    make(page, Everything, values={"speed_m": 1, "xyz": [1, 2, 3]})
    field(page, label).fill(text)
    assert not page.evaluate("form.validate()")
    bad = page.locator("[aria-invalid=true]")
    assert bad.count() == 1
    assert bad.evaluate("node => node === document.activeElement")
    described = bad.get_attribute("aria-describedby").split()[-1]
    assert page.locator(f"#{described}").inner_text() == problem
    field(page, label).fill("1")
    assert page.locator("[aria-invalid=true]").count() == 0


def test_what_the_server_refuses_stands_at_its_field(page: Page) -> None:
    make(page, Everything, primary=["speed_m", "xyz"])
    assert not field(page, "Name").is_visible()
    assert page.evaluate("form.showError('name', 'No such cube.')")
    assert field(page, "Name").is_visible()
    assert page.get_by_role("alert").filter(has_text="No such cube.").is_visible()
    assert page.evaluate("form.showError('grip.force', 'Too strong.')")
    assert page.evaluate("form.showError('xyz.1', 'Out of reach.')")
    assert not page.evaluate("form.showError('nothing', 'x')")
    assert not page.evaluate("form.showError('', 'x')")


def test_text_of_others_is_never_markup(page: Page) -> None:
    text = "<img src=x onerror=\"document.title='hit'\">"
    schema = {
        "type": "object",
        "properties": {text: {"type": "string", "title": text, "description": text, "enum": [text]}},
    }
    page.evaluate(MAKE, [schema, {}])
    assert page.locator("main img").count() == 0
    assert page.locator("option", has_text="onerror").count() == 1
    assert page.evaluate(f"form.showError({text!r}, {text!r})") in {True, False}
    assert page.title() == ""


def test_suggestions_depend_on_the_other_fields(page: Page) -> None:
    make(page, Everything)
    page.evaluate(
        """async (schema) => {
          const { schemaForm } = await import("/static/js/forms/schema_form.js");
          const suggest = async (field, values) =>
            field === "name" ? [{ value: `a${values.count}`, label: `The ${values.count} cubes` }] : [];
          window.form = schemaForm(schema, { suggest });
          document.querySelector("main").replaceChildren(form.node);
        }""",
        Everything.model_json_schema(),
    )
    field(page, "Count").fill("5")
    field(page, "Name").click()
    page.get_by_role("option", name="a5").wait_for()
    field(page, "Name").press("Escape")
    page.get_by_role("listbox").wait_for(state="hidden")
    field(page, "Name").press("ArrowDown")
    field(page, "Name").press("ArrowDown")
    assert field(page, "Name").get_attribute("aria-activedescendant")
    field(page, "Name").press("Enter")
    assert field(page, "Name").input_value() == "a5"
    assert page.locator(".chosen", has_text="The 5 cubes").is_visible()


def test_a_choice_does_not_repeat_what_the_field_says(page: Page) -> None:
    page.evaluate(
        """async () => {
          const { schemaForm } = await import("/static/js/forms/schema_form.js");
          const schema = { properties: { suite: { type: "string", description: "A task suite.", default: "a" } } };
          window.form = schemaForm(schema, {
            suggest: async () => [{ value: "a", label: "A task suite." }, { value: "b", label: "The second" }],
          });
          document.querySelector("main").replaceChildren(form.node);
        }"""
    )
    field(page, "Suite").fill("b")
    page.locator(".chosen", has_text="The second").wait_for()
    field(page, "Suite").fill("a")
    assert page.locator(".chosen").inner_text() == ""


def test_what_a_choice_means_follows_the_other_fields(page: Page) -> None:
    make(page, Everything)
    page.evaluate(
        """async (schema) => {
          const { schemaForm } = await import("/static/js/forms/schema_form.js");
          const suggest = async (field, values) =>
            field === "name" ? [{ value: "a", label: `The first of ${values.count} cubes` }] : [];
          window.form = schemaForm(schema, { suggest, values: { name: "a", count: 5 } });
          document.querySelector("main").replaceChildren(form.node);
        }""",
        Everything.model_json_schema(),
    )
    page.locator(".chosen", has_text="The first of 5 cubes").wait_for()
    field(page, "Count").fill("6")
    page.locator(".chosen", has_text="The first of 6 cubes").wait_for()


def test_whole_numbers_count_with_the_arrow_keys(page: Page) -> None:
    make(page, Everything)
    field(page, "Count").fill("98")
    for _ in range(3):
        field(page, "Count").press("ArrowUp")
    assert field(page, "Count").input_value() == "99"
    field(page, "Count").fill("0")
    field(page, "Count").press("ArrowDown")
    assert values_of(page, "count") == 0


def values_of(page: Page, name: str) -> Any:
    """One value, as far as it can be read."""
    return page.evaluate("form.peek()")[name]
