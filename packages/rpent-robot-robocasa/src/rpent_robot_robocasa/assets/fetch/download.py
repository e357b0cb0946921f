"""One file from an HTTP server: goes on where it broke off, and ends complete or with an error."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rpent.errors import EnvironmentSetupError, clause

from rpent_robot_robocasa.assets.fetch.room import unwritable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHUNK = 1 << 20
TIMEOUT_S = 60.0
"""Without a byte for so long, the connection counts as lost."""
ATTEMPTS = 6
"""Without any progress in between."""
AGAIN = (
    "Run the command again: what has arrived is kept. `rpent robocasa assets placeholder` needs no network."
)
RANGE_UNUSABLE = 416


class BrokenOffError(Exception):
    """The connection was lost before the end."""


class _NotTheSameError(Exception):
    """The server's file is another one than the part that is here."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What has arrived of a file, and which file it is of."""

    file: Path
    note: Path
    url: str

    @property
    def size(self) -> int:
        return self.file.stat().st_size if self.file.exists() else 0

    def known(self) -> dict[str, Any]:
        """Return what was noted when it was begun, if it is of the same address."""
        try:
            noted: dict[str, Any] = json.loads(self.note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if noted.get("url") == self.url else {}

    def forget(self) -> None:
        self.file.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def download(
    url: str,
    file: Path,
    *,
    progress: Callable[[int, int | None], None] = lambda _done, _total: None,
    room_for: Callable[[int], None] = lambda _bytes: None,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Download a file. What arrives is kept in `FILE.part` until it is complete.

    Args:
        url: The address, `http` or `https`.
        file: Where it goes; nothing is done when it is there.
        progress: Called with the bytes that are here and the bytes of the whole, where the server tells.
        room_for: Called with the size of the whole before it is written; raises when there is no room.
        pause: Waits for seconds between two attempts.

    Raises:
        EnvironmentSetupError: The host cannot be reached, refuses, or breaks off again and again.
    """
    if file.exists():
        return
    if urlsplit(url).scheme not in ("http", "https"):
        raise EnvironmentSetupError(f"`{url}` is no address that kitchen assets are downloaded from.")
    part = _Part(file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.part.json"), url)
    if not part.known():
        part.forget()
    failures = 0
    while True:
        before = part.size
        try:
            _go_on(part, progress, room_for)
            break
        except _NotTheSameError:
            part.forget()
            failures += 1
        except (BrokenOffError, OSError, http.client.HTTPException) as error:
            failures = 1 if part.size > before else failures + 1
            if failures >= ATTEMPTS or _is_final(error):
                raise _explained(url, error, part.size) from error
        if failures >= ATTEMPTS:
            raise _explained(url, BrokenOffError("the file changes"), 0)
        pause(min(2.0 ** (failures - 1), 20.0))
    part.file.replace(file)
    part.note.unlink(missing_ok=True)


def _go_on(part: _Part, progress: Callable[[int, int | None], None], room_for: Callable[[int], None]) -> None:
    """Ask for what is missing and append it."""
    here, known = part.size, part.known()
    request = urllib.request.Request(part.url, headers={"User-Agent": "rpent", "Accept-Encoding": "identity"})  # noqa: S310 (http or https: `download` has looked)
    if here:
        request.add_header("Range", f"bytes={here}-")
        if validator := known.get("validator"):
            request.add_header("If-Range", validator)
    try:
        answer = urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310
    except urllib.error.HTTPError as error:
        if error.code == RANGE_UNUSABLE and here:
            if here == known.get("total"):
                return
            raise _NotTheSameError from error
        raise
    with answer:
        resumed = answer.status == http.client.PARTIAL_CONTENT
        total = _total(answer.headers, resumed, here)
        if resumed and known.get("total") not in (None, total):
            raise _NotTheSameError
        if total is not None:
            room_for(total - (here if resumed else 0))
        validator = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
        note = {"url": part.url, "total": total, "validator": _strong(validator)}
        part.note.write_text(json.dumps(note), encoding="utf-8")
        _receive(answer, part, here if resumed else 0, total, progress)


def _receive(
    answer: Any, part: _Part, start: int, total: int | None, progress: Callable[[int, int | None], None]
) -> None:
    done = start
    with part.file.open("ab" if start else "wb") as file:
        while chunk := answer.read(CHUNK):
            try:
                file.write(chunk)
                file.flush()
            except OSError as error:
                raise unwritable(part.file.parent, error) from error
            done += len(chunk)
            progress(done, total)
    if total is not None and done != total:
        raise BrokenOffError(f"{done} of {total} bytes arrived")


def _total(headers: Any, resumed: bool, here: int) -> int | None:
    """Return the size of the whole file, where the server tells it.

    Raises:
        _NotTheSameError: What is sent does not begin where the part ends.
    """
    if not resumed:
        length = headers.get("Content-Length")
        return int(length) if length and length.isdigit() else None
    first, _, whole = headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
    if first.partition("-")[0] != str(here):
        raise _NotTheSameError
    return int(whole) if whole.isdigit() else None


def _strong(validator: str | None) -> str | None:
    """Return a validator that `If-Range` may be sent with: a weak one may not."""
    return None if validator is None or validator.startswith("W/") else validator


def _is_final(error: Exception) -> bool:
    """Whether trying again is no use: the server refuses, or the name of the host is unknown."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code < http.client.INTERNAL_SERVER_ERROR and error.code not in (408, 429)
    if isinstance(error, urllib.error.URLError):
        return not isinstance(error.reason, TimeoutError)
    return False


def _explained(url: str, error: Exception, arrived: int) -> EnvironmentSetupError:
    host = urlsplit(url).hostname or url
    if isinstance(error, urllib.error.HTTPError):
        return EnvironmentSetupError(
            f"The host `{host}` of the kitchen assets refuses `{url}` ({error.code} {error.reason}).",
            hint="`rpent robocasa assets placeholder` needs no download.",
        )
    if isinstance(error, urllib.error.URLError) and not arrived:
        reason = error.reason if isinstance(error.reason, str) else clause(error.reason)
        return EnvironmentSetupError(
            f"The host `{host}` of the kitchen assets cannot be reached ({reason}).", hint=AGAIN
        )
    return EnvironmentSetupError(
        f"The download of `{url}` broke off after {arrived / 1e6:.1f} MB ({clause(error)}).", hint=AGAIN
    )
