"""Is what the environment variables of policies and perceptors name really there: weights, tokenizers, statistics?

Nothing is loaded: each backend reads small files and headers.
"""

from __future__ import annotations

import contextlib
import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from rpent.config import build_config, env_prefix
from rpent.doctor.plugins import usable
from rpent.errors import RpentError
from rpent.specs import CheckResult, DoctorCheck, load_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from rpent.specs import PerceptorSpec, PolicySpec

FIELD = "checkpoint"


def check_policy(spec: PolicySpec) -> CheckResult:
    """Read the signature of the checkpoint that the backend's environment variable names."""

    def read(config: Any) -> str:
        from rpent.policies.chosen import read_signature  # noqa: PLC0415

        signature = read_signature(spec, config)
        if signature is None:
            return "The backend cannot tell before it is loaded."
        size = f", {signature.parameters:,} parameters" if signature.parameters else ""
        return f"{signature.family}{size}."

    return _check(spec.name, f"policy `{spec.name}`", spec.config, read, f"--backend {spec.name}")


def check_perceptor(spec: PerceptorSpec) -> CheckResult:
    """Let the perceptor's service look at the checkpoint that its environment variable names."""
    service = spec.service
    assert service is not None

    def read(config: Any) -> str:
        load_object(service.check)(config)
        return "All files are there."

    return _check(spec.name, f"perceptor `{spec.name}`", service.config, read, None)


def checks() -> list[DoctorCheck]:
    """Return a check for each policy, and each perceptor with a server, that wants a checkpoint."""
    each = [(spec.name, partial(check_policy, spec)) for _, spec in usable("policies")]
    each += [
        (spec.name, partial(check_perceptor, spec))
        for _, spec in usable("perceptors")
        if spec.service and spec.service.check
    ]
    return [
        DoctorCheck(
            name=f"checkpoint/{name}",
            summary=f"The checkpoint of `{name}` that {variable(name)} names can be used.",
            run=run,
        )
        for name, run in each
    ]


def variable(name: str, field: str = FIELD) -> str:
    """Return the environment variable of an option: `RPENT_PI0_CHECKPOINT`."""
    return f"{env_prefix(name)}_{field.upper()}"


def _check(name: str, what: str, config: str, read: Callable[[Any], str], backend: str | None) -> CheckResult:
    place = variable(name)
    chosen = os.environ.get(place)
    if not chosen:
        return CheckResult(
            status="skip", message=f"`{place}` is not set; `--checkpoint` names one for a run."
        )
    inspect = f"rpent policy inspect {chosen} {backend}" if backend else ""
    try:
        model: type[BaseModel] = load_object(config)
        names = {field: variable(name, field) for field in model.model_fields}
        found = read(build_config(model, _values(names), what=what, names=names))
    except RpentError as error:
        remedy = " Then: ".join(filter(None, (error.hint, inspect))) or f"export {place}=FOLDER"
        return CheckResult(status="fail", message=f"{place}: {error.message}", remedy=remedy)
    return CheckResult(status="ok", message=f"`{chosen}`: {found}")


def _values(names: dict[str, str]) -> dict[str, Any]:
    """Return the options that environment variables give, as the command line reads them."""
    values: dict[str, Any] = {}
    for field, name in names.items():
        text = os.environ.get(name)
        if text:
            values[field] = text
            if text[0] in "[{":
                with contextlib.suppress(ValueError):
                    values[field] = json.loads(text)
    return values
