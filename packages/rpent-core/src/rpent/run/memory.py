"""What a run sees of its robot's memory, and where it may leave drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.memory.layout import DRAFTS

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.memory.view import MemoryView
    from rpent.run.episode import Episode


def open_memory(episode: Episode) -> MemoryView | None:
    """Read what the task may see, and note it in run.json; None without memory.

    Raises:
        MemoryStoreError: The memory cannot be read.
        MemoryPathError: The robot's names for the task cannot be folders.
    """
    resolved, recorder = episode.resolved, episode.recorder
    if not resolved.request.memory:
        return None
    from rpent.memory.paths import memory_root  # noqa: PLC0415  (only runs with memory need it)
    from rpent.memory.view import MemoryView  # noqa: PLC0415

    view = MemoryView(
        memory_root(resolved.request.memory_dir),
        resolved.robot_spec.name,
        resolved.setup.family,
        resolved.setup.task,
        waiting=recorder.notice,
    )
    for problem in view.problems:
        recorder.notice(f"A file of the memory is left out: {problem}", "warning")
    before = episode.manifest.get("memory")
    if before is not None and before["digest"] != view.digest:
        recorder.notice("The memory has changed since this run began.", "warning")
    episode.manifest["memory"] = view.manifest()
    recorder.directory.write_manifest(episode.manifest)
    return view


def drafts_dir(episode: Episode) -> Path | None:
    """Return where the planner's drafts go; None in a run that does not explore."""
    if episode.resolved.request.explore is None:
        return None
    return episode.recorder.directory.path / DRAFTS
