"""Tokens in files: they must not stand in a command line, where every user of the machine can read them."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from rpent.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

MAX_TOKEN = 512
"""So many characters fit into a header and an address anywhere."""


def new_token() -> str:
    """Return a fresh token of 256 random bits."""
    return secrets.token_urlsafe(32)


def read_or_make_token(path: Path) -> str:
    """Return the token in a file; a file that does not exist is made, readable for its owner alone.

    Raises:
        UsageError: The file cannot be read or made, or is empty.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_token(path)
    except OSError as error:
        raise UsageError(f"The token file `{path}` cannot be made ({error.strerror}).") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        token = new_token()
        file.write(token + "\n")
    return token


def read_token(path: Path) -> str:
    """Return the token in a file.

    Raises:
        UsageError: The file cannot be read, or holds nothing that can stand in a header.
    """
    try:
        with path.open("rb") as file:  # it may be a pipe, or by mistake something without end
            data = file.read(2 * MAX_TOKEN)
        token = data.decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The token file `{path}` cannot be read ({error}).") from error
    if not token:
        raise UsageError(
            f"The token file `{path}` is empty.",
            hint="A server that is started makes one where there is no file.",
        )
    if not (token.isascii() and token.isprintable()):
        raise UsageError(f"The token file `{path}` holds more than one line of plain characters.")
    if len(token) > MAX_TOKEN or len(data) == 2 * MAX_TOKEN:
        raise UsageError(f"The token in `{path}` is longer than {MAX_TOKEN} characters.")
    return token
