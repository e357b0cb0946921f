"""The whole tree of real assets: the bundled files, and each pack of the registry beside them."""

from __future__ import annotations

import contextlib
import fcntl
from functools import partial
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

from rpent_robot_robocasa.assets.bundled import copy_bundled
from rpent_robot_robocasa.assets.fetch.download import download
from rpent_robot_robocasa.assets.fetch.room import need_room, unwritable
from rpent_robot_robocasa.assets.fetch.unpack import unpack
from rpent_robot_robocasa.assets.manifest import Manifest, read_manifest, write_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Protocol

    from rpent_robot_robocasa.assets.fetch.registry import Download
    from rpent_robot_robocasa.assets.package import SimulatorPackage

    class Reporter(Protocol):
        """Who is told how far it is."""

        def begin(self, what: str) -> None:
            """Something begins: `textures: downloading`."""

        def progress(self, done: int, total: int | None) -> None:
            """So many bytes of so many."""


WORK = ".fetch"
"""The folder for archives, below the assets: on the same disk."""


def fetch(
    downloads: Sequence[Download],
    package: SimulatorPackage,
    folder: Path,
    *,
    report: Reporter,
    force: bool = False,
) -> Manifest:
    """Bring an assets folder up to what the downloads say; packs that are complete are left alone.

    The manifest names a pack only once it is unpacked, so whatever is interrupted is done again or goes on.

    Args:
        downloads: The packs to fetch.
        package: The simulator, whose bundled files are copied in.
        folder: The assets folder.
        report: Who is told how far it is.
        force: Fetch packs again although they are there.

    Returns:
        What the folder holds then.

    Raises:
        EnvironmentSetupError: The host, the archive or the disk does not do; or another process fetches.
    """
    try:
        (folder / WORK).mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            return _bring_up(downloads, package, folder, report, force=force)
    except OSError as error:
        raise unwritable(folder, error) from error


def _bring_up(
    downloads: Sequence[Download],
    package: SimulatorPackage,
    folder: Path,
    report: Reporter,
    *,
    force: bool,
) -> Manifest:
    earlier = read_manifest(folder)
    packs = dict(earlier.packs) if earlier is not None and earlier.kind == "real" else {}
    todo = [item for item in downloads if force or packs.get(item.name) != item.url]
    if earlier is None or earlier.package_version != package.version:
        copy_bundled(package.root, folder)
    for item in todo:
        packs.pop(item.name, None)
    manifest = write_manifest(folder, kind="real", package_version=package.version, packs=packs)
    for item in todo:
        _fetch_pack(item, folder, report)
        packs[item.name] = item.url
        manifest = write_manifest(folder, kind="real", package_version=package.version, packs=packs)
        _archive(folder, item).unlink(missing_ok=True)
    return manifest


def _fetch_pack(item: Download, folder: Path, report: Reporter) -> None:
    archive = _archive(folder, item)
    target = folder / item.folder.parent
    # Besides the archive, what it holds is unpacked: at least as much again.
    room = partial(_room_twice, folder, item.name)
    report.begin(f"{item.name}: downloading")
    download(item.url, archive, progress=report.progress, room_for=room)
    report.begin(f"{item.name}: unpacking")
    try:
        unpack(
            archive,
            target,
            brings=item.folder.name,
            room_for=lambda count: need_room(folder, count, f"the pack `{item.name}`"),
            progress=report.progress,
        )
    except EnvironmentSetupError as error:
        if isinstance(error.__cause__, OSError) or "GB left" in error.message:
            raise
        archive.unlink(missing_ok=True)
        raise EnvironmentSetupError(
            f"The pack `{item.name}` from `{item.url}` cannot be used: {error.message}",
            hint="rpent robocasa assets fetch",
        ) from error


def _room_twice(folder: Path, name: str, count: int) -> None:
    need_room(folder, 2 * count, f"the pack `{name}`")


def _archive(folder: Path, item: Download) -> Path:
    return folder / WORK / f"{item.name}.zip"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch into a folder.

    Raises:
        EnvironmentSetupError: Another one does.
    """
    with (folder / WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise EnvironmentSetupError(
                f"Another process is fetching kitchen assets into `{folder}`.",
                hint="Wait for it: `rpent robocasa assets status` shows what is there.",
            ) from error
        yield
