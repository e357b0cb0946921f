"""Makes `import torchvision` work beside a CPU build of torch that it was not built for.

torchvision as it comes from the package index wants CUDA's libtorch. Beside `torch==2.13.0+cpu` its native library does
not load, and the import ends in `RuntimeError: operator torchvision::nms does not exist`, which also breaks the image
processors of transformers and all of lerobot. They need torchvision to be importable, but hardly any native operator.

When the plain import fails in that way, `install()` declares the two operators that the import looks up (`nms`,
`qnms`; their signatures are torchvision's public interface), imports again, and gives `nms` a slow CPU kernel.
`roi_align` falls back on torchvision's own version in plain torch. Every other native operator (`roi_pool`,
`ps_roi_align`, `deform_conv2d`, image files) still raises. Where torchvision loads normally, nothing is changed.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from torch import Tensor

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_kept_alive: list[Any] = []  # torch drops the declarations when their `Library` is collected


def install() -> Literal["native", "shimmed"]:
    """Imports torchvision, with stand-ins for native operators only if the plain import fails.

    Returns:
        `"native"` if torchvision is importable as it is, `"shimmed"` if stand-ins were needed.

    Raises:
        ModuleNotFoundError: torch or torchvision is not installed.
        RuntimeError: torchvision failed for another reason than its missing operators.
    """
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "operator torchvision::" not in str(error):
            raise
    else:
        return "native"

    import torch

    # Submodules left by the failed import would not be bound to the new package object.
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]

    library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in _SCHEMAS:
        library.define(schema)
    library.impl("nms", _nms, "CPU")
    _kept_alive.append(library)

    # `torchvision.extension._has_ops` stays false on purpose: it selects the pure-torch
    # `roi_align` and makes the missing operators raise. Only the check before `nms` has to go.
    boxes: Any = importlib.import_module("torchvision.ops.boxes")
    boxes._assert_has_ops = lambda: None
    return "shimmed"


def _nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Greedy non-maximum suppression in plain torch.

    Args:
        dets: `(N, 4)` boxes as `x1, y1, x2, y2`.
        scores: `(N,)`.
        iou_threshold: a box that overlaps a better one by more than this is dropped.

    Returns:
        `(K,)` int64 indices of the kept boxes, best score first.
    """
    import torch
    from torchvision.ops import box_iou  # noqa: PLC0415

    overlaps = box_iou(dets, dets) > iou_threshold
    dropped = torch.zeros(len(scores), dtype=torch.bool)
    kept = []
    for index in scores.argsort(descending=True, stable=True).tolist():
        if not dropped[index]:
            kept.append(index)
            dropped |= overlaps[index]
    return torch.tensor(kept, dtype=torch.int64)
