"""Hugging Face's libraries as a model server uses them: offline, and without running code that a checkpoint brings."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from rpent.errors import PolicyError

from rpent_torch import threads, vision

OFFLINE = (("HF_HUB_OFFLINE", "1"), ("TRANSFORMERS_OFFLINE", "1"), ("HF_DATASETS_OFFLINE", "1"))
"""For `PolicySpec.env`: a model server never asks the hub; what a checkpoint needs is in folders."""


def prepare(*, trust_code: bool = False) -> None:
    """Make torch, torchvision and transformers ready to be imported. Call it before anything else of them.

    Args:
        trust_code: Whether Python files beside a checkpoint or a tokenizer (`auto_map` in their JSON) may be run. Some
            callers of transformers allow it whatever the checkpoint is; here it is refused below all of them.

    Raises:
        ImportError: One of the libraries is not installed.
    """
    os.environ.update(OFFLINE)  # they are read when the libraries are imported
    threads.settle()
    vision.install()
    if not trust_code:
        from transformers import dynamic_module_utils

        loader: Any = dynamic_module_utils
        loader.get_class_in_module = _refuse


def _refuse(class_name: str, module_path: Any, **_options: Any) -> NoReturn:
    raise PolicyError(
        f"The checkpoint wants to run Python code of its own (`{class_name}` in `{module_path}`), which is refused.",
        hint="Where you have read and trust it: the backend `lerobot` takes `--trust-code`.",
    )
