"""How much memory a model server uses."""

from __future__ import annotations

from rpent.policies.memory import resident_bytes


def facts(device: str = "cpu") -> dict[str, int]:
    """Return the bytes in use: of the process, and on a GPU.

    Args:
        device: A torch device; torch is imported only for `cuda`.

    Returns:
        `memory_bytes` (the process's resident memory now) and, on a GPU, `device_memory_bytes` (held by torch for this
        process), `device_free_bytes`, `device_total_bytes`.
    """
    found = {"memory_bytes": resident_bytes()}
    if device.startswith("cuda"):
        import torch

        free, total = torch.cuda.mem_get_info(device)
        found |= {
            "device_memory_bytes": int(torch.cuda.memory_reserved(device)),
            "device_free_bytes": int(free),
            "device_total_bytes": int(total),
        }
    return found
