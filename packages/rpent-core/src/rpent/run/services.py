"""Stage 4: which services a run needs, and with which configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.plugins.named import load_named
from rpent.services.request import ServiceRequest

if TYPE_CHECKING:
    from rpent.run.resolve import Resolved
    from rpent.specs import ServiceSpec


def service_requests(resolved: Resolved) -> list[ServiceRequest]:
    """Return a request for each service that is needed, or that an endpoint was given for."""
    requests = []
    for name, (spec, kind) in resolved.services.items():
        endpoint = resolved.request.endpoints.get(name)
        if spec.optional and endpoint is None:
            continue
        requests.append(_request(resolved, spec, kind, endpoint))
    return requests


def _request(resolved: Resolved, spec: ServiceSpec, kind: str, endpoint: str | None) -> ServiceRequest:
    request, origin = resolved.request, resolved.distribution_of(kind)
    # The env server and its client change together; a model server may be anybody's.
    strict = kind == "robots" and spec.name == "env"
    return ServiceRequest(
        spec=spec,
        config=_config(resolved, spec, kind) if endpoint is None else {},
        endpoint=endpoint,
        token=(request.token or "") if endpoint else "",
        python=request.env_python if kind == "robots" else request.pythons.get(spec.name),
        transport=request.transport,
        distribution=origin.distribution,
        identity=f"{resolved.robot_spec.name}/{spec.name}" if strict else None,
        version=origin.version or None if strict else None,
        schema=spec.schema if strict else None,
    )


def _config(resolved: Resolved, spec: ServiceSpec, kind: str) -> dict[str, Any]:
    """Return the service's values; ground truth is served only where the perceptor is marked privileged."""
    if kind == "policies" and resolved.policy is not None:
        return resolved.policy.server_config()
    values = dict(resolved.setup.service_configs.get(spec.name, {}))
    if kind == "perceptors":
        return {**values, **resolved.request.perceptor_service_config}
    perceptor = resolved.perceptor_spec
    if perceptor is not None and perceptor.privileged and spec.config:
        model = load_named(spec.config, f"service `{spec.name}`")
        if "privileged" in model.model_fields:
            values["privileged"] = True
    return values
