"""What may be typed next in a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_dashboard.hosting.choices import choices_of
from rpent_dashboard.hosting.commands import COMMANDS, TASK, assignment, read_value
from rpent_dashboard.hosting.errors import FieldError
from rpent_dashboard.hosting.words import Word, quoted, split, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rpent.specs import Choice, DashboardSpec

    from rpent_dashboard.hosting.commands import TaskFields

MAX_OPTIONS = 100


def complete(
    text: str, cursor: int, *, fields: TaskFields, spec: DashboardSpec, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options at the cursor: `start` and `end` of what they replace, and `options`.

    Args:
        text: The line as it stands.
        cursor: Offset in it.
        fields: What a task command fills.
        spec: The robot's own choices.
        values: What holds where nothing is typed.
    """
    cursor = max(0, min(cursor, len(text)))
    before = split(text[:cursor])
    word = before.pop() if before and before[-1].end == cursor else Word(cursor, cursor, "")
    end = next((w.end for w in split(text) if w.start <= word.start < w.end), cursor)
    if not text.startswith("/"):
        return _answer(cursor, cursor, [])
    if not before:
        return _answer(0, end, _commands(word.text))
    if before[0].text != TASK:
        return _answer(cursor, cursor, [])
    typed = _Typed(before[1:], fields)
    line = _Line(fields, spec, {**values, **typed.values}, typed)
    name, equals, _ = text[word.start : cursor].partition("=")
    if equals and (field := name.lstrip("-").replace("-", "_")) in fields.names:
        start = word.start + len(name) + 1
        return _answer(start, end, line.of_field(field, unquoted(text[start:cursor])))
    return _answer(word.start, end, line.at(word.text))


class _Typed:
    """The values before the cursor."""

    def __init__(self, words: Iterable[Word], fields: TaskFields) -> None:
        self.values: dict[str, Any] = {}
        rest = list(fields.positional)
        for word in words:
            found = assignment(word.text) or (self._next(rest), word.text)
            if found[0] in fields.names:
                try:
                    self.values[found[0]] = _plain(read_value(found[1], found[0], fields.model))
                except FieldError:
                    continue
        self.next = self._next(rest)

    def _next(self, rest: list[str]) -> str:
        """Return the field that the next word without a name stands for; empty after the last one."""
        while rest:
            name = rest.pop(0)
            if name not in self.values:
                return name
        return ""


class _Line:
    def __init__(
        self, fields: TaskFields, spec: DashboardSpec, values: Mapping[str, Any], typed: _Typed
    ) -> None:
        self._fields, self._spec, self._values, self._typed = fields, spec, values, typed

    def at(self, typed: str) -> list[dict[str, str]]:
        """Return what may stand here: values of the next field, then names of fields."""
        options = self.of_field(self._typed.next, typed) if self._typed.next else []
        open_names = (name for name in self._fields.names if name not in self._typed.values)
        return options + [
            {"insert": f"{name}=", "label": self._about(name)}
            for name in open_names
            if name.startswith(typed.lstrip("-").replace("-", "_"))
        ]

    def of_field(self, field: str, typed: str) -> list[dict[str, str]]:
        """Return the values of a field that go on from what is typed, else those that contain it."""
        options = [
            (text_of(choice.value), choice.label or self._holds(field, choice))
            for choice in choices_of(self._spec, self._fields.model, field, self._values)
        ]
        wanted = typed.lower()
        begin = [option for option in options if option[0].lower().startswith(wanted)]
        found = begin or [option for option in options if wanted in f"{option[0]} {option[1]}".lower()]
        return [{"insert": quoted(text), "label": label} for text, label in found]

    def _holds(self, field: str, choice: Choice) -> str:
        return self._about(field) if choice.value == self._values.get(field) else ""

    def _about(self, name: str) -> str:
        return self._fields.model.model_fields[name].description or ""


def text_of(value: Any) -> str:
    """Return a value as it is typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _plain(value: Any) -> Any:
    """Return a number where the text is one: a robot's choices get values, not texts."""
    if isinstance(value, str):
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
    return value


def _commands(typed: str) -> list[dict[str, str]]:
    return [
        {"insert": f"{name} " if name == TASK else name, "label": summary}
        for name, summary in COMMANDS.items()
        if name.startswith(typed)
    ]


def _answer(start: int, end: int, options: list[dict[str, str]]) -> dict[str, Any]:
    return {"start": start, "end": end, "options": options[:MAX_OPTIONS]}
