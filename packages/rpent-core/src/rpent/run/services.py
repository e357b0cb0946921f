"""Stage 4: which services a run needs, and with which configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.run.resolve import load
from rpent.services.request import ServiceRequest

if TYPE_CHECKING:
    from rpent.run.resolve import Resolved
    from rpent.specs import ServiceSpec


def service_requests(resolved: Resolved) -> list[ServiceRequest]:
    """Return a request for each service that is needed, or that an endpoint was given for."""
    requests = []
    for spec in resolved.services:
        endpoint = resolved.request.endpoints.get(spec.name)
        if spec.optional and endpoint is None:
            continue
        requests.append(_request(resolved, spec, endpoint))
    return requests


def _request(resolved: Resolved, spec: ServiceSpec, endpoint: str | None) -> ServiceRequest:
    own = spec in resolved.robot_spec.services
    origin = resolved.distribution_of("robots" if own else "perceptors")
    # The env server and its client change together; a model server may be anybody's.
    strict = own and spec.name == "env"
    return ServiceRequest(
        spec=spec,
        config=_config(resolved, spec),
        endpoint=endpoint,
        token=(resolved.request.token or "") if endpoint else "",
        python=resolved.request.env_python,
        transport=resolved.request.transport,
        distribution=origin.distribution,
        identity=f"{resolved.robot_spec.name}/{spec.name}" if strict else None,
        version=origin.version or None if strict else None,
        schema=spec.schema if strict else None,
    )


def _config(resolved: Resolved, spec: ServiceSpec) -> dict[str, Any]:
    """Return the service's values; ground truth is served only where the perceptor is marked privileged."""
    values = dict(resolved.setup.service_configs.get(spec.name, {}))
    perceptor = resolved.perceptor_spec
    own = spec in resolved.robot_spec.services
    if perceptor is not None and perceptor.privileged and own and spec.config:
        model = load(spec.config, f"service `{spec.name}`")
        if "privileged" in model.model_fields:
            values["privileged"] = True
    return values
