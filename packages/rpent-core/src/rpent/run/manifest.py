"""run.json: what was run, with which versions, and how it ended."""

from __future__ import annotations

import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent._version import __version__
from rpent.run.request import Explore, Limits, RunRequest
from rpent.runs.directory import FORMAT
from rpent.secret_fields import secret_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel

    from rpent.run.resolve import Resolved

_FORMER_LIMITS = {"max_tokens": "token_limit"}
"""Names in the files of earlier versions → names now."""


def fresh_manifest(resolved: Resolved) -> dict[str, Any]:
    """Return run.json as it stands when the run directory was made."""
    setup, perceptor = resolved.setup, resolved.perceptor_spec
    return {
        "format": FORMAT,
        "rpent": __version__,
        "created": time.time(),
        "robot": _plugin(resolved, "robots", public_values(resolved.robot.config)),
        "planner": _plugin(resolved, "planners", public_values(resolved.planner_config)),
        "perceptor": _perceptor(resolved) if perceptor else None,
        "policy": policy_of(resolved),
        "privileged_perceptors": [perceptor.name] if perceptor and perceptor.privileged else [],
        "caveats": [],
        "task": {
            "instruction": setup.instruction,
            "tag": setup.tag,
            "seed": setup.seed,
            **setup.details,
            "scope": {"task": setup.task, "family": setup.family},
        },
        "request": _public_request(resolved),
        "versions": versions(),
        "services": {},
        "usage": {},
        "counts": {},
        "timings_s": {},
        "processes": [],
        "outcome": None,
    }


def fresh_process(resolved: Resolved) -> dict[str, Any]:
    """Return what run.json says of this process; a resumed run may have another planner than it was started with."""
    request = _public_request(resolved)
    return {
        "pid": os.getpid(),
        "started": time.time(),
        "planner": _plugin(resolved, "planners", public_values(resolved.planner_config)),
        "request": {name: request[name] for name in ("planner", "planner_config")},
    }


def _plugin(resolved: Resolved, kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    origin = resolved.distribution_of(kind)
    return {
        "name": origin.name,
        "distribution": origin.distribution,
        "version": origin.version,
        "config": dict(config),
    }


def _perceptor(resolved: Resolved) -> dict[str, Any]:
    """Return the perceptor, and how its own service is started (`service`), where it has one."""
    described = _plugin(resolved, "perceptors", public_values(resolved.perceptor_config))
    served = resolved.perceptor_service_config
    return described if served is None else described | {"service": public_values(served)}


def policy_of(resolved: Resolved) -> dict[str, Any] | None:
    """Return which policy the run starts; what it is attached to is known when it answers (`served`)."""
    if resolved.policy is None:
        return None
    return {
        **_plugin(resolved, "policies", public_values(resolved.policy.config)),
        "layout": resolved.policy.layout,
    }


def public_values(config: BaseModel | None) -> dict[str, Any]:
    """Return a configuration as plain data, secrets left out."""
    if config is None:
        return {}
    return config.model_dump(mode="json", exclude=secret_fields(type(config)))


def _public_request(resolved: Resolved) -> dict[str, Any]:
    """Return the request with what the user gave, as the config models read it."""
    values = request_to_json(resolved.request)
    for name, config in (
        ("robot_config", resolved.robot.config),
        ("planner_config", resolved.planner_config),
        ("perceptor_config", resolved.perceptor_config),
        ("perceptor_service_config", resolved.perceptor_service_config),
        ("policy_config", resolved.policy.config if resolved.policy else None),
    ):
        public = public_values(config)
        values[name] = {key: public[key] for key in values[name] if key in public}
    return values


def request_to_json(request: RunRequest) -> dict[str, Any]:
    """Return what `request_from_json` needs to do the same again. Tokens and spectators are left out."""
    values = {name: getattr(request, name) for name in RunRequest.__dataclass_fields__}
    del values["token"], values["live"]  # the one is a secret, the other is of the process
    values["limits"] = {name: getattr(request.limits, name) for name in Limits.__dataclass_fields__}
    values["explore"] = asdict(request.explore) if request.explore else None
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def request_from_json(values: Mapping[str, Any], **changes: Any) -> RunRequest:
    """Read what `request_to_json` wrote, with changes."""
    known = {name: values[name] for name in RunRequest.__dataclass_fields__ if name in values}
    known |= changes
    if isinstance(known.get("limits"), dict):
        known["limits"] = Limits(**{_FORMER_LIMITS.get(name, name): v for name, v in known["limits"].items()})
    if isinstance(known.get("explore"), dict):
        known["explore"] = Explore(**known["explore"])
    for name in ("output_dir", "memory_dir"):
        if isinstance(known.get(name), str):
            known[name] = Path(known[name])
    return RunRequest(**known)


def versions() -> dict[str, Any]:
    """Return the interpreter, the platform, and the version of every installed package.

    Read from the names of the metadata folders: opening the metadata of 150 packages would take 0.2 s of each
    run.
    """
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": _packages(Path(entry or ".") for entry in sys.path),
    }


def packages_of(python: str) -> dict[str, str]:
    """Return the packages of another interpreter (a managed environment); empty when it is this one."""
    if python == sys.executable:
        return {}
    return _packages(Path(python).parent.parent.glob("lib/python*/site-packages"))


def _packages(folders: Iterable[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in folders:
        for info in folder.glob("*.dist-info") if folder.is_dir() else ():
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            found.setdefault(name.replace("_", "-").lower(), version)
    return dict(sorted(found.items()))
