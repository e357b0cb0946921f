"""Pages of the reference that come from Python objects: the public API, and the events of a run."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import textwrap
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from rpent import api, testing
from rpent.runs import events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SPECS = "rpent.specs"
LONGEST = 80
"""A constructor of more characters is not one that plugin authors call."""


class Bare(str):
    """An annotation as it stands in the source, without quotes in a signature."""

    __slots__ = ()
    __repr__ = str.__str__


def api_page() -> str:
    """Every name of `rpent.api` and `rpent.testing`, by the module that it comes from."""
    lines = ["# Python API\n"]
    for module in (api, testing):
        lines += [f"\n## `{module.__name__}`\n", inspect.getdoc(module) or ""]
        for name in sorted(module.__all__, key=str.casefold):
            lines += ["", *described(name, getattr(module, name), home_of(module, name))]
    lines += ["\n## Fixtures of `rpent.testing.plugin`\n", *fixtures()]
    return "\n".join(lines)


def home_of(module: ModuleType, name: str) -> str:
    """Where a name is defined."""
    thing = getattr(module, name)
    return str(getattr(thing, "__module__", module.__name__))


def described(name: str, thing: Any, home: str) -> Iterator[str]:
    """Yield the lines on one name."""
    if home == SPECS:
        yield f"### `{name}`\n\nSee [specs](specs.md#{name.lower()})."
    elif inspect.isclass(thing):
        yield f"### `{name}{constructor(thing)}`\n"
        yield inspect.getdoc(thing) or ""
        yield from field_table(thing)
        yield from attributes(thing)
        yield from methods(thing)
    elif inspect.isfunction(thing):
        yield f"### `{name}{signature(thing)}`\n"
        yield inspect.getdoc(thing) or ""
    else:
        yield f"### `{name}`\n\nThe marker of pluggy for this project; see [hooks](hooks.md)."


def constructor(cls: type) -> str:
    """Return how a class is called: nothing where the fields say it, or where it is the run that does."""
    own = vars(cls).get("__init__")
    text = signature(cls) if inspect.isfunction(own) and not has_fields(cls) else ""
    return text if len(text) <= LONGEST and "*args" not in text else ""


def signature(thing: Any) -> str:
    """Return a signature with the annotations of the source; `self` is left out."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [
        parameter.replace(annotation=bare(parameter.annotation))
        for parameter in found.parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    result = found.return_annotation if inspect.isfunction(thing) else inspect.Signature.empty
    return str(found.replace(parameters=parameters, return_annotation=bare(result)))


def bare(annotation: Any) -> Any:
    """Return an annotation that prints as it is written."""
    return Bare(annotation) if isinstance(annotation, str) else annotation


def attributes(cls: type) -> Iterator[str]:
    """Yield a line for each attribute that the constructor sets and explains."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    body = next((node.body for node in ast.walk(tree) if getattr(node, "name", "") == "__init__"), [])  # type: ignore[attr-defined]
    lines = []
    for statement, following in pairwise(body):
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            target = getattr(statement, "target", None) or getattr(statement, "targets", [None])[0]
            if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
                lines.append(f"- `{target.attr}`: {' '.join(str(following.value.value).split())}")
    yield from ["", *lines] if lines else []


def methods(cls: type) -> Iterator[str]:
    """Yield a line for each public method and property that the class itself defines; tests are its promises."""
    lines = []
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", member)
        if name.startswith(("_", "setup_", "teardown_")):
            continue
        if not (inspect.isfunction(function) or isinstance(member, property)):
            continue
        plain = isinstance(member, property) or name.startswith("test_")
        shown = name if plain else f"{name}{signature(function)}"
        lines.append(f"- `{shown}`: {first_sentence(member)}")
    yield from ["", *lines] if lines else []


def first_sentence(thing: Any) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def has_fields(cls: type) -> bool:
    """Whether a class is made of fields (a dataclass, a typed dict, a model)."""
    return hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__total__") or hasattr(cls, "model_fields")


def field_table(cls: type) -> Iterator[str]:
    """Yield a table of the fields that a class declares."""
    rows = list(class_fields(cls))
    if rows:
        yield "\n| field | type | default | meaning |\n|---|---|---|---|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def class_fields(cls: type) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, default and the string below each annotated field, from the source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for statement, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if statement.target.id.startswith("_"):
            continue
        text = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = " ".join(str(following.value.value).split())
        value = statement.value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "Field":
            value, text = opened(value, text)
        default = f"`{default_of(value)}`" if value is not None else ""
        kind = f"`{ast.unparse(statement.annotation)}`"
        yield f"`{statement.target.id}`", *(cell.replace("|", r"\|") for cell in (kind, default, text))


def opened(field: ast.Call, text: str) -> tuple[ast.expr | None, str]:
    """Return the default of pydantic's `Field(default, ge=1, description="...")`, and its meaning with its bounds."""
    words = {word.arg: word.value for word in field.keywords}
    if "description" in words:
        text = str(ast.literal_eval(words["description"]))
    bounds = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    said = [f"{bounds[name]} {ast.unparse(value)}" for name, value in words.items() if name in bounds]
    default = field if "default_factory" in words else words.get("default", next(iter(field.args), None))
    return default, f"{text} ({', '.join(said)})" if said else text


def default_of(value: ast.expr) -> str:
    """Return a field's default as a value: `dict()` for `field(default_factory=dict)`."""
    factory = [word.value for word in getattr(value, "keywords", ()) if word.arg == "default_factory"]
    return f"{ast.unparse(factory[0])}()" if factory else ast.unparse(value)


def fixtures() -> Iterator[str]:
    """Yield a line for each pytest fixture for plugin authors."""
    module = importlib.import_module("rpent.testing.plugin")
    yield (inspect.getdoc(module) or "") + "\n"
    tree = ast.parse(inspect.getsource(module))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and any(
            "fixture" in ast.unparse(d) for d in node.decorator_list
        ):
            yield f"- `{node.name}`: {(ast.get_docstring(node) or '').partition(chr(10))[0]}"


def event_types() -> list[type[events.Event]]:
    """Every event, in the order of the source."""
    found = [thing for thing in vars(events).values() if inspect.isclass(thing)]
    return [cls for cls in found if issubclass(cls, events.Event) and cls is not events.Event]


def events_schema() -> str:
    """The JSON Schema of one line of `events.jsonl`."""
    schema = TypeAdapter(events.AnyEvent).json_schema()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An event of a run"}
    return json.dumps({**head, **schema}, indent=1)


def events_page() -> str:
    """Every event type and its fields."""
    lines = ["# Events\n", inspect.getdoc(events) or ""]
    lines += ["\nAs a JSON Schema: [events.schema.json](events.schema.json).", "\nFields of every event:"]
    lines += field_table(events.Event)
    for cls in event_types():
        lines += [f"\n## `{cls.model_fields['type'].default}`\n", inspect.getdoc(cls) or ""]
        lines += (row for row in field_table(cls) if not row.startswith("| `type` |"))
    return "\n".join(lines)
