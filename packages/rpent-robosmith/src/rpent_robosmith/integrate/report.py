"""`report.md` of an integration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.report import REPAIRS, SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.compatibility.report import Compatibility, Mapping
    from rpent_robosmith.inspect.api import ArtefactFacts
    from rpent_robosmith.integrate.validation import Validation

VERDICTS = {
    "valid": "The two fit together, and the wrapper was executed on samples of both.",
    "not_compatible": "The two do NOT fit together: see the critical issues.",
    "invalid": "Nothing critical was found beforehand, but the wrapper FAILED when it was executed.",
    "unchecked": "Nothing critical was found; the wrapper was not executed.",
}

_ORIGINS = {
    "dataset": "steps of the dataset",
    "environment": "steps of the environment",
    "declared": "made-up observations",
}


def verdict(report: Compatibility, outcome: str) -> str:
    """Return the outcome in a sentence, which says so where repairs were needed."""
    if report.mapping.repairs and outcome in {"valid", "unchecked"}:
        names = ", ".join(f"`{name}`" for name in report.mapping.repairs)
        return f"The two fit together ONLY with the repairs that were asked for: {names}."
    return VERDICTS[outcome]


def report_text(report: Compatibility, seen: Validation | None, outcome: str, target: ArtefactFacts) -> str:
    """Return the report as Markdown; what artefacts say is shown as code."""
    lines = [
        f"# {_code(report.policy)} for {_code(report.target)}",
        "",
        verdict(report, outcome),
        "",
        *_table(
            ("", "policy", "target"),
            [
                ("what", _code(report.policy), _code(report.target)),
                ("kind", report.policy_kind, report.target_kind),
                ("format", report.policy_format, report.target_format),
                ("read", "all", target.read),
            ],
        ),
        *_repairs(report),
        *_issues(report),
        *_mapping(report.mapping),
        *_validation(seen),
    ]
    return "\n".join(lines) + "\n"


def _repairs(report: Compatibility) -> Iterator[str]:
    if report.mapping.repairs:
        yield from (
            "",
            "## Repairs that were asked for",
            "",
            "Each of them may make the policy act wrongly.",
            "",
        )
        for name in report.mapping.repairs:
            yield f"- `{name}`: {REPAIRS[name]}"


def _issues(report: Compatibility) -> Iterator[str]:
    yield from ("", "## Issues", "")
    if not report.issues:
        yield "None."
        return
    counted = ", ".join(f"{report.count(severity)} {severity}" for severity in SEVERITIES)
    yield from (f"{counted}.", "")
    who = {"wrapper": "the wrapper", "repair": "as was asked", "no": ""}
    rows = [
        (each.severity, f"`{each.check}`", _text(each.message), who[each.handled], _text(each.remedy))
        for each in report.issues
    ]
    yield from _table(("severity", "check", "what", "dealt with by", "remedy"), rows)


def _mapping(mapping: Mapping) -> Iterator[str]:
    yield from ("", "## Mapping", "")
    if mapping.layout:
        yield from (f"As the robot's layout {_code(mapping.layout)} says.", "")
    rows = []
    for link in mapping.observation:
        keys = " + ".join(_code(source.key) for source in link.sources) or "nothing"
        rows.append((_code(link.policy), keys, link.kind, " x ".join(map(str, link.shape)), link.dtype))
    yield from _table(("policy", "target", "kind", "shape", "type"), rows)
    action = mapping.action
    yield ""
    yield (
        f"The action: {action.policy_size} numbers become {action.size}, chunks of {action.chunk_length} of which "
        f"{action.execute_steps} are carried out."
    )
    if mapping.unused:
        yield f"Not used: {', '.join(_code(key) for key in mapping.unused)}."


def _validation(seen: Validation | None) -> Iterator[str]:
    yield from ("", "## Execution", "")
    if seen is None:
        yield "The wrapper was not executed."
        return
    yield f"In a sealed worker, with the real policy, on {_ORIGINS[seen.samples]}: {seen.status}."
    yield ""
    rows = [
        (
            each.name,
            str(each.count),
            "yes" if each.ok else "no",
            _text(f"{each.kind}: {each.error}" if each.error else ""),
        )
        for each in seen.stages
    ]
    yield from _table(("part", "samples", "ok", "error"), rows)
    if seen.actions:
        shapes = ", ".join(str(tuple(shape)) for shape in seen.answer_shapes)
        yield from (
            "",
            f"Answers of the policy had the shape {shapes}; actions were {', '.join(seen.action_types)}.",
        )
        yield f"{seen.clipped} numbers were clipped to the target's bounds in {seen.questions} answers."
        yield f"Actions were between {_numbers(seen.action_low)} and {_numbers(seen.action_high)}."
    if seen.recorded_error:
        yield f"Mean difference to the recorded actions: {_numbers(seen.recorded_error)}, whose deviation is "
        yield f"{_numbers(seen.recorded_spread)}."
    yield from (f"- {_text(caveat)}" for caveat in seen.caveats)


def _numbers(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in values) + ")"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _code(text: str) -> str:
    """Return foreign text as code that cannot leave its cell."""
    return f"`{_flat(text).replace('`', chr(39))}`"


def _text(text: str) -> str:
    """Return a sentence that may quote foreign names: no markup, no new cells."""
    return _flat(text).replace("<", "&lt;").replace(">", "&gt;")


def _flat(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")
