"""What libraries put off until their first use, and cannot do any more in a sealed process."""

from __future__ import annotations

import contextlib
import importlib
import sys
import tempfile

_LATE = {
    "torch": ("torch._dynamo",),  # imported by the first step of an optimiser; makes folders for its caches
}
"""Library that is loaded → modules to import now."""


def finish_imports() -> None:
    """Do it now."""
    with contextlib.suppress(OSError):
        tempfile.gettempdir()  # found by writing a file, and then remembered
    for library, modules in _LATE.items():
        if library in sys.modules:
            for name in modules:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
