"""Starts a vendor's binary with an environment that holds only what it needs.

The SDKs copy `os.environ` into their child process: every key and token of the user's shell would be there. They
are given a small script as "the binary" instead, which drops the names that are not on a list.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

ALWAYS = frozenset(
    {
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)
"""Kept for every binary; so is `LC_*`."""


def write_launcher(folder: Path, binary: str | Path, keep: Collection[str] = ()) -> Path:
    """Write the script and return its path. It holds names and no values.

    Args:
        folder: Private to the run (0700).
        binary: What the script starts, with all its arguments.
        keep: Further names that stay: what the SDK sets for its child itself.
    """
    path = folder / "launch.sh"
    dropped = " ".join(f"-u {shlex.quote(name)}" for name in dropped_names(os.environ, keep))
    script = f'#!/bin/sh\nexec env {dropped} {shlex.quote(str(binary))} "$@"\n'
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o700)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(script)
    path.chmod(0o700)
    return path


def dropped_names(environment: Iterable[str], keep: Collection[str] = ()) -> list[str]:
    """Return the names of an environment that a launched binary does not see."""
    return sorted(
        name for name in environment if name not in ALWAYS and name not in keep and not name.startswith("LC_")
    )
