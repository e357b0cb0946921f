"""Facts and comparisons as text for people, and as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.compatibility.report import Compatibility, Mapping
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature

SCHEMA_VERSION = 1
_SHOWN = 8
_MARKS = {"critical": "✗", "warning": "!", "info": "·"}


def facts_json(found: ArtefactFacts) -> str:
    """Return an artefact's facts as one JSON document; numbers that are not finite are strings."""
    plain = {"version": SCHEMA_VERSION, **found.model_dump(mode="python")}
    return json.dumps(jsonable(plain), indent=2, allow_nan=False)


def jsonable(value: Any) -> Any:
    """Return plain data: arrays as lists, pictures as their shape, numbers that are not finite as strings."""
    if isinstance(value, np.ndarray):
        if value.ndim == 3 and value.dtype == np.uint8:
            return {"picture": list(value.shape), "mean": round(float(value.mean()), 3)}
        return jsonable(value.tolist())
    if isinstance(value, dict):
        return {str(key): jsonable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(each) for each in value]
    return _number(value.item() if isinstance(value, np.generic) else value)


def _number(value: Any) -> Any:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def facts_lines(found: ArtefactFacts) -> Iterator[str]:
    """Yield an artefact's facts as text."""
    yield f"{found.id}: {found.kind}, {found.format}"
    yield from table(list(_facts(found)), indent=2)
    for title, features in (("Observation", found.observation), ("Action", found.action)):
        yield ""
        yield title
        yield from table([(name, *_feature(each)) for name, each in features.items()], indent=2)
    yield from _listed("Problems", [f"{_MARKS[each.severity]} {each.text}" for each in found.faults])
    yield from _listed("Notes", found.notes)
    for sample in found.details.get("samples", ()):
        yield ""
        yield json.dumps(jsonable(sample))


def _facts(found: ArtefactFacts) -> Iterator[tuple[str, str]]:
    chunk = found.chunk_length
    success_rate = found.details.get("success_rate")
    rows: list[tuple[str, Any]] = [
        ("algorithm", found.algorithm),
        ("parameters", None if found.parameters is None else f"{found.parameters:,}"),
        ("robot", found.robot),
        ("environment", found.details.get("environment")),
        ("control rate", None if found.control_rate_hz is None else f"{found.control_rate_hz:g} Hz"),
        ("chunk", None if chunk is None else f"{chunk} actions, {found.execute_steps or chunk} carried out"),
        ("sees", f"{found.observation_steps} observations" if found.observation_steps > 1 else None),
        ("instruction", {True: "yes", False: "no", None: None}[found.language]),
        ("normalisation", ", ".join(f"{name}: {mode}" for name, mode in found.normalization.items()) or None),
        (
            "statistics",
            {True: "in the checkpoint", False: "missing", None: None}[found.normalization_statistics],
        ),
        ("episodes", found.episodes),
        ("steps", found.frames),
        ("read", found.read if found.kind == "dataset" else None),
        ("step limit", found.max_episode_steps),
        ("success", found.success_field or ("unknown" if found.kind == "dataset" else None)),
        ("success rate", None if success_rate is None else f"{success_rate:.1%}"),
        (
            "tasks",
            "; ".join(found.tasks[:3]) + (f"; {len(found.tasks) - 3} more" if len(found.tasks) > 3 else ""),
        ),
        ("versions", ", ".join(f"{name} {value}" for name, value in found.versions.items())),
    ]
    yield from ((name, str(value)) for name, value in rows if value not in (None, ""))


def _feature(feature: Feature) -> tuple[str, ...]:
    if feature.kind == "discrete":
        count = f"{feature.n} choices" if feature.n is not None else "choices"
        return "discrete", count, feature.dtype, ""
    shape = " x ".join(map(str, feature.shape)) or "1"
    details = [", ".join(feature.names[:_SHOWN]) + (", …" if len(feature.names) > _SHOWN else "")]
    if feature.kind == "vector" and feature.low and feature.high:
        details.insert(0, _bounds(feature.low, feature.high))
    if feature.kind == "image" and feature.resizes:
        details.insert(0, "resized by the policy")
    if feature.unit:
        details.append(feature.unit)
    return feature.kind, shape, feature.dtype, "; ".join(each for each in details if each)


def _bounds(low: Sequence[float], high: Sequence[float]) -> str:
    pairs = list(dict.fromkeys(zip(low, high, strict=False)))
    shown = ", ".join(f"{a:.4g} … {b:.4g}" for a, b in pairs[:_SHOWN])
    return f"[{shown}{', …' if len(pairs) > _SHOWN else ''}]"


def _listed(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield ""
        yield title
        yield from (f"  {text}" for text in texts)


def compatibility_lines(report: Compatibility) -> Iterator[str]:
    """Yield a comparison as text: the verdict, the issues, the mapping."""
    verdict = "compatible" if report.compatible else "NOT compatible"
    yield f"{report.policy} ({report.policy_format})  →  {report.target} ({report.target_format}): {verdict}"
    quiet = [issue for issue in report.issues if issue.severity == "info" and issue.handled == "wrapper"]
    for issue in report.issues:
        if issue in quiet:
            continue
        handled = {"wrapper": "  [the wrapper does it]", "repair": "  [as was asked]", "no": ""}[
            issue.handled
        ]
        yield f"  {_MARKS[issue.severity]} {issue.severity:8} {issue.check}: {issue.message}{handled}"
        if issue.remedy and issue.severity != "info":
            yield f"      {issue.remedy}"
    if quiet:
        checks = ", ".join(dict.fromkeys(issue.check for issue in quiet))
        yield f"  · {len(quiet)} more that the wrapper deals with: {checks}"
    if not report.issues:
        yield "  no issue"
    yield "Mapping"
    yield from mapping_lines(report.mapping)


def mapping_lines(mapping: Mapping) -> Iterator[str]:
    """Yield what becomes of each array."""
    rows = []
    for link in mapping.observation:
        source = " + ".join(_source(each.key, each.start, each.stop, each.convert) for each in link.sources)
        done = [
            f"resize: {link.resize}" if link.resize != "none" else "",
            "" if link.flip == "none" else link.flip,
        ]
        done += ["reordered" if link.order else "", "units converted" if link.scale else ""]
        done += [
            "normalised" if link.normalize else "",
            f"filled with {link.fill:g}" if link.fill is not None else "",
        ]
        rows.append((link.policy, "<-", source or "nothing", ", ".join(each for each in done if each)))
    action = mapping.action
    how = [f"{action.policy_size} -> {action.size} numbers" if action.policy_size != action.size else ""]
    how += [
        f"chunks of {action.chunk_length}, {action.execute_steps} carried out"
        if action.chunk_length > 1
        else ""
    ]
    how += ["reordered" if action.order else "", "scaled" if action.scale or action.offset else ""]
    how += ["clipped" if action.low else ""]
    targets = " + ".join(action.targets)
    rows.append((" + ".join(action.sources), "->", targets, ", ".join(each for each in how if each)))
    yield from table(rows, indent=2)
    if mapping.unused:
        yield f"  not used: {', '.join(mapping.unused)}"


def _source(key: str, start: int, stop: int | None, convert: str) -> str:
    named = key if convert == "none" else f"{convert}({key})"
    return named if start == 0 and stop is None else f"{named}[{start}:{'' if stop is None else stop}]"


def table(rows: Sequence[tuple[str, ...]], *, indent: int = 0) -> Iterator[str]:
    """Yield rows in columns; long cells are cut."""
    cells = [[_cell(text) for text in row] for row in rows]
    widths = [
        max(len(row[i]) for row in cells if i < len(row)) for i in range(max(map(len, cells), default=0))
    ]
    for row in cells:
        yield (
            " " * indent + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False))
        ).rstrip()


def _cell(text: str, limit: int = 110) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
