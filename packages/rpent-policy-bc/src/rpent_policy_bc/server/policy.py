"""The policy that is served."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError
from rpent.policies.api import Policy
from rpent_torch import device as devices
from rpent_torch import weights
from rpent_torch.threads import settle

from rpent_policy_bc import checkpoint
from rpent_policy_bc.server import tensors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.policies.api import PolicyRequest, Report

    from rpent_policy_bc.checkpoint import Description
    from rpent_policy_bc.config import BcConfig
    from rpent_policy_bc.server.model import Network


class BcPolicy(Policy):
    """Answers all requests of a batch with one forward pass. It keeps nothing between them."""

    def __init__(self, description: Description, network: Network, device: str) -> None:
        self.signature = checkpoint.signature_of(description)
        self.device = device
        self._description, self._network = description, network

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Return a (T, D) float32 chunk for each request."""
        import torch  # noqa: PLC0415  (its threads are settled first)

        from rpent_policy_bc.server.model import pictures  # noqa: PLC0415

        shape = self._description.architecture
        with torch.inference_mode():
            images = {
                camera: pictures(
                    torch.from_numpy(np.stack([each.images[camera] for each in requests])).to(self.device)
                )
                for camera in shape.cameras
            }
            state = np.stack(
                [np.concatenate([each.state[field] for field in shape.state]) for each in requests]
            )
            chunks = self._network.actions(images, torch.from_numpy(state.astype(np.float32)).to(self.device))
            return list(chunks.cpu().numpy())

    def facts(self) -> Mapping[str, Any]:
        """Return the size of the weights, and where they are."""
        size = sum(p.numel() * p.element_size() for p in self._network.parameters())
        return {"weights_bytes": size, **devices.facts(self.device)}


def load(config: BcConfig, report: Report) -> BcPolicy:
    """Load a checkpoint.

    Raises:
        PolicyError: It is not one of this backend, it is damaged, or its weights are not those of its description.
    """
    report("loading torch", 0.1)
    settle()
    from rpent_policy_bc.server.model import Network  # noqa: PLC0415

    description = checkpoint.read(config.checkpoint)
    chosen = devices.choose(config.device)
    report("loading the weights", 0.7)
    network = Network(description.architecture)
    path = Path(config.checkpoint).expanduser() / checkpoint.WEIGHTS
    weights.require_all(network.state_dict(), weights.shapes(path), checkpoint=config.checkpoint)
    _fill(network, path)
    network.to(chosen).eval()
    report("ready", 1.0)
    return BcPolicy(description, network, chosen)


def _fill(network: Network, path: Path) -> None:
    import torch  # noqa: PLC0415

    values = {name: torch.from_numpy(tensor.copy()) for name, tensor in tensors.load(path).items()}
    if not all(torch.isfinite(value).all() for value in values.values()):
        raise PolicyError(f"The weights `{path}` hold NaN or infinity.")
    network.load_state_dict(values)
