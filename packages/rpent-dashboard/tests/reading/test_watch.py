import asyncio
import shutil
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from rpent_dashboard.reading import watch
from rpent_dashboard.reading.watch import Follower, Watcher

PATIENCE_S = 20.0


def watchers() -> int:
    return sum(thread.name == "rpent-dashboard-watch" for thread in threading.enumerate())


def await_no_watchers() -> None:
    deadline = time.monotonic() + PATIENCE_S
    while watchers():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def settled(follower: Follower) -> None:
    """Wait until the kernel has been asked: followers are woken once then."""
    assert await follower.wait(PATIENCE_S)
    while await follower.wait(0.2):
        pass


def follow(folder: Path, act: Callable[[Follower], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def main() -> None:
        with Watcher().follow(folder, **options) as follower:
            await settled(follower)
            await act(follower)

    asyncio.run(main())


def test_what_is_appended_wakes(tmp_path: Path) -> None:
    async def act(follower: Follower) -> None:
        for _ in range(3):
            with (tmp_path / "events.jsonl").open("ab") as file:
                file.write(b"line\n")
            assert await follower.wait(PATIENCE_S)

    follow(tmp_path, act)


def test_files_that_do_not_matter_let_it_sleep(tmp_path: Path) -> None:
    async def act(follower: Follower) -> None:
        (tmp_path / "transcript.json").write_text("{}")
        assert not await follower.wait(0.3)
        (tmp_path / "run.json").write_text("{}")
        assert await follower.wait(PATIENCE_S)

    follow(tmp_path, act, wants={"run.json"}.__contains__)


def test_a_folder_that_appears_later_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "logs"

    async def act(follower: Follower) -> None:
        folder.mkdir()
        assert await follower.wait(PATIENCE_S)
        await asyncio.sleep(0.1)
        (folder / "env.log").write_text("line\n")
        assert await follower.wait(PATIENCE_S)

    follow(folder, act)


def test_a_deleted_folder_wakes_and_may_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()

    async def act(follower: Follower) -> None:
        shutil.rmtree(folder)
        assert await follower.wait(PATIENCE_S)
        folder.mkdir()
        (folder / "events.jsonl").write_text("")
        assert await follower.wait(PATIENCE_S)

    follow(folder, act)


def test_all_followers_share_a_thread_which_ends_with_the_last(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder in folders:
        folder.mkdir()
    await_no_watchers()  # of earlier tests
    watcher = Watcher()

    async def one(folder: Path) -> bool:
        with watcher.follow(folder) as follower:
            await settled(follower)
            assert watchers() == 1
            (folder / "new").write_text("")
            return await follower.wait(PATIENCE_S)

    async def main() -> list[bool]:
        return await asyncio.gather(*(one(folder) for folder in folders * 3))

    assert all(asyncio.run(main()))
    assert watcher.followers == 0
    await_no_watchers()


def test_a_follower_can_move_to_other_folders(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()

    async def act(follower: Follower) -> None:
        follower.move([tmp_path / "other"])
        await settled(follower)
        (tmp_path / "file").write_text("")
        assert not await follower.wait(0.3)
        (tmp_path / "other/file").write_text("")
        assert await follower.wait(PATIENCE_S)

    follow(tmp_path, act)


@pytest.mark.parametrize("where", ["refused", "remote"])
def test_where_the_kernel_reports_nothing_followers_are_woken_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "refused":
        monkeypatch.setattr(watch, "_notifier", lambda folders: None)
    else:
        monkeypatch.setattr(watch, "_is_remote", lambda folder: True)

    async def main() -> None:
        with Watcher().follow(tmp_path) as follower:
            assert [await follower.wait(PATIENCE_S) for _ in range(3)] == [True] * 3

    asyncio.run(main())


def test_a_watch_that_fails_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asked = watch._notifier, []

    class Failing:
        def watch(self, *_: object) -> None:
            raise RuntimeError("error in the underlying watcher")

        def close(self) -> None:
            pass

    def notifier(folders: Any) -> Any:
        asked.append(folders)
        return Failing() if len(asked) == 1 else ask(folders)

    monkeypatch.setattr(watch, "_notifier", notifier)

    async def act(follower: Follower) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while len(asked) < 2 and time.monotonic() < deadline:
            await follower.wait(0.1)
        while await follower.wait(0.3):
            pass
        (tmp_path / "events.jsonl").write_text("line\n")
        assert await follower.wait(PATIENCE_S)

    follow(tmp_path, act)


def test_a_loop_that_is_closed_is_no_trouble(tmp_path: Path) -> None:
    watcher = Watcher()

    async def main() -> Follower:
        return watcher.follow(tmp_path)

    follower = asyncio.run(main())
    watcher.add(follower)
    follower.tell()
    watcher.remove(follower)
