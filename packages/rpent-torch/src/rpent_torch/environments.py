"""The environments of torch-based services, as data: for `rpent env sync torch` and `rpent env sync transformers`.

Several distributions share one: the policies of `rpent-policy-bc` run in `torch`, `rpent-policy-pi0` and
`rpent-perception-sam3` in `transformers`. torch itself is in no lock, because each of its builds (CPU, CUDA 12.8, …)
has requirements of its own.
"""

from __future__ import annotations

from rpent.specs import EnvironmentSpec

TORCH_VERSION = "2.13.0"
TORCHVISION_VERSION = "0.28.0"
"""The torchvision that belongs to that torch."""

TORCH = EnvironmentSpec(
    name="torch",
    python="3.11",
    requirements=("numpy>=1.26,<3", "pillow>=10"),
    torch=(f"torch=={TORCH_VERSION}",),
    lock="rpent_torch:locks/torch.txt",
    verify="import numpy, PIL.Image, torch; torch.zeros(2).numpy()",
    probe="torch",
)
"""Plain torch, for small policies such as `bc`."""

TRANSFORMERS = EnvironmentSpec(
    name="transformers",
    python="3.11",
    requirements=(
        "transformers==5.24.0",
        "accelerate>=1.10,<2",
        "numpy>=1.26,<3",
        "pillow>=10",
        "safetensors>=0.5",
    ),
    torch=(f"torch=={TORCH_VERSION}", f"torchvision=={TORCHVISION_VERSION}"),
    lock="rpent_torch:locks/transformers.txt",
    verify="import rpent_torch.vision; rpent_torch.vision.install()\n"
    "import transformers, safetensors.torch; transformers.Sam3ImageProcessor, transformers.PI0ForConditionalGeneration",
    probe="transformers",
)
"""transformers with torch and torchvision, for PI0 and SAM 3 (which other releases do not load, or load wrongly)."""
