"""Unpacking an archive: only below its folder, only files, only with room for them."""

from __future__ import annotations

import errno
import shutil
import stat
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

from rpent_robot_robocasa.assets.manifest import FILE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LEFT_OUT = ("__MACOSX", ".DS_Store", ".fetch", FILE)
"""What is no asset; an archive does not say what has been fetched either."""

_IMPOSSIBLE = {errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ}
"""What goes wrong when the names in an archive are no names of files, or stand in one another's way."""

_ENCRYPTED = 0x1


def unpack(
    archive: Path,
    target: Path,
    *,
    brings: str,
    room_for: Callable[[int], None] = lambda _bytes: None,
    progress: Callable[[int, int | None], None] = lambda _done, _total: None,
) -> int:
    """Unpack a ZIP archive; files that are there are replaced.

    Args:
        archive: The file.
        target: The folder that it is unpacked in.
        brings: A folder that has to be in it: `textures`.
        room_for: Called with the bytes that will be written; raises when there is no room.
        progress: Called with the bytes that are written and the bytes of all.

    Returns:
        How many files were written.

    Raises:
        EnvironmentSetupError: It is no archive, is damaged, or would write elsewhere. Nothing is written of one that
            would.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [_checked(member, archive) for member in opened.infolist() if _wanted(member)]
            total = sum(member.file_size for member in members)
            if not any(member.filename.startswith(f"{brings}/") for member in members):
                raise _refused(archive, f"holds nothing in `{brings}`")
            room_for(total)
            done = 0
            for member in members:
                place = target / member.filename
                place.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as source, place.open("wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
                done += member.file_size
                progress(done, total)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise _refused(archive, "is no complete ZIP archive") from error
    except OSError as error:
        if error.errno not in _IMPOSSIBLE:
            raise
        raise _refused(archive, f"holds what cannot be unpacked: {error.strerror}") from None
    return len(members)


def _wanted(member: zipfile.ZipInfo) -> bool:
    return not member.is_dir() and not any(part in _LEFT_OUT for part in member.filename.split("/"))


def _checked(member: zipfile.ZipInfo, archive: Path) -> zipfile.ZipInfo:
    path = PurePosixPath(member.filename)
    if path.is_absolute() or ".." in path.parts or "\\" in member.filename:
        raise _refused(archive, f"would write `{member.filename}`, outside of its folder")
    if member.flag_bits & _ENCRYPTED:
        raise _refused(archive, f"holds `{member.filename}`, which is encrypted")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise _refused(archive, f"holds `{member.filename}`, which is no plain file")
    return member


def _refused(archive: Path, what: str) -> EnvironmentSetupError:
    return EnvironmentSetupError(
        f"The downloaded file `{archive}` {what}.",
        hint="Remove it and run `rpent robocasa assets fetch` again.",
    )
