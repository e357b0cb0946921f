"""Hostile reward code against the real sealed worker: the candidate fails, the owner and the next candidate go on.

Each runs with the static check and without it, because the check is not the fence.
"""

from __future__ import annotations

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.work.api import Job, Limits, WorkError

if TYPE_CHECKING:
    from rpent_robosmith.work.bench import ProcessBench

MEMORY = 256 * 2**20
HANG_S = 2.0
"""Silence that is taken for a hang where one is expected; elsewhere a busy machine needs more."""

GOOD = """
def compute_reward(obs, action, next_obs, info):
    return info["env_reward"], {"angle": abs(float(obs[0]))}
"""

ESCAPE = """
def _everything():
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__
posix = _everything()
python = posix["__builtins__"]
take = python["__import__"]
"""
"""The usual way out of restricted builtins: `posix` and `take` (the real `__import__`)."""


def reward(body: str, *, before: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"import numpy as np\n{before}\ndef compute_reward(obs, action, next_obs, info):\n{lines}\n"


def escaped(body: str) -> str:
    return reward(f"{body}\nreturn 1.0, {{}}", before=ESCAPE)


def run(bench: ProcessBench, code: str, *, check: bool, **limits: Any) -> dict[str, Any]:
    given = Limits(**{"silence_s": 30.0, "wall_s": 120.0, "memory_bytes": MEMORY, **limits})
    job = Job(run="sealed_jobs:drive", params={"code": code, "check": check}, sealed=True, limits=given)
    return bench.run(job)


def failure(bench: ProcessBench, code: str, *, check: bool, **limits: Any) -> WorkError:
    with pytest.raises(WorkError) as caught:
        run(bench, code, check=check, **limits)
    return caught.value


def patience(kinds: set[str]) -> dict[str, float]:
    return {"silence_s": HANG_S} if "silence" in kinds else {}


# What the static check lets pass, because it cannot know: the kinds with which the candidate ends.
LOOKS_HARMLESS = {
    "endless loop": ("while True:\n    pass\nreturn 1.0, {}", {"silence"}),
    "endless loop in C": ("return sum(range(10 ** 15)), {}", {"silence"}),
    "endless loop at import": ("return 1.0, {}", {"silence"}),
    "catches what it can": (
        "while True:\n    try:\n        np.ones(10 ** 9)\n    except Exception:\n        pass\nreturn 1.0, {}",
        {"silence"},
    ),
    "memory bomb": (
        "x = []\nwhile True:\n    x.append(np.ones(10 ** 7))\nreturn 1.0, {}",
        {"reward", "memory", "killed"},
    ),
    "memory bomb in one piece": ("return np.ones(10 ** 12).sum(), {}", {"reward"}),
    "memory bomb of numbers": ("return 2.0 * 10 ** (10 ** 10), {}", {"silence", "reward", "memory"}),
    "memory that is kept": (
        "KEPT.append(np.ones(10 ** 7))\nreturn 1.0, {}",
        {"memory", "reward", "killed"},
    ),
    "endless recursion": ("return compute_reward(obs, action, next_obs, info)", {"reward"}),
    "raises": ("return info['nothing'], {}", {"reward"}),
    "raises a long message": ("raise ValueError('x' * 10 ** 7)", {"reward"}),
    "not finite": ("return np.log(-1.0), {}", {"reward"}),
    "huge": ("return 1e30, {}", {"reward"}),
    "huge integer": ("return 10 ** 5000, {}", {"reward"}),
    "array": ("return np.ones(10 ** 6), {}", {"reward"}),
    "many components": ("return 1.0, {str(i): 1.0 for i in range(10 ** 4)}", {"reward"}),
    "long names": ("return 1.0, {'x' * 10 ** 6: 1.0}", {"reward"}),
    "a generator": ("return 1.0, (x for x in range(3))", {"reward"}),
    "a string": ("return 'much', {}", {"reward"}),
}


@pytest.mark.parametrize("check", [True, False], ids=["checked", "unchecked"])
@pytest.mark.parametrize("name", LOOKS_HARMLESS)
def test_code_that_looks_harmless_costs_only_its_candidate(
    bench: ProcessBench, name: str, check: bool
) -> None:
    body, kinds = LOOKS_HARMLESS[name]
    before = {"endless loop at import": "while True:\n    pass\n", "memory that is kept": "KEPT = []"}.get(
        name, ""
    )
    error = failure(bench, reward(body, before=before), check=check, **patience(kinds))
    assert error.kind in kinds
    assert len(error.message) < 3000


# What only gets anywhere without the check: the kinds, and words of the message or log.
ESCAPES = {
    "os._exit": ("posix['_exit'](7)", {"killed"}, "ended by itself with code 7"),
    "sys.exit": ("raise python['SystemExit'](0)", {"reward"}, "SystemExit"),
    "keyboard interrupt": ("raise python['KeyboardInterrupt']", {"reward"}, "KeyboardInterrupt"),
    "crash": ("take('faulthandler')._sigsegv()", {"killed"}, "SIGSEGV"),
    "abort": ("posix['abort']()", {"killed"}, "SIGABRT"),
    "stops itself": ("posix['kill'](posix['getpid'](), 19)", {"reward"}, "os.kill"),
    "stops itself, unaudited": ("take('signal').raise_signal(19)", {"silence"}, "said nothing"),
    "fork": ("posix['fork']()", {"reward"}, "os.fork"),
    "fork bomb": ("while True:\n    posix['fork']()", {"reward"}, "os.fork"),
    "threads": (
        "take('threading').Thread(target=posix['getpid']).start()",
        {"reward"},
        "can't start new thread",
    ),
    "other programs": ("posix['system']('true')", {"reward"}, "os.system"),
    "exec": ("posix['execv']('/bin/true', ['true'])", {"reward"}, "os.exec"),
    "multiprocessing": (
        "take('multiprocessing').Process(target=posix['getpid']).start()",
        {"reward"},
        "os.fork",
    ),
    "its own limits": (
        "take('resource').setrlimit(9, (-1, -1))",
        {"reward"},
        "resource.setrlimit",
    ),
    "its folder": ("posix['chdir']('/')", {"reward"}, "os.chdir"),
    "ctypes": ("take('ctypes').CDLL(None).getpid()", {"reward"}, "ctypes.dlopen"),
    "memory of others": (
        "python['open'](f\"/proc/{posix['getppid']()}/mem\", 'rb')",
        {"reward"},
        "PermissionError",
    ),
    "closes its pipes": ("posix['closerange'](3, 200)", {"killed", "protocol"}, ""),
    "garbles its messages": (
        "[posix['write'](n, b'x' * 99) for n in range(3, 9)]",
        {"reward", "protocol", "killed"},
        "",
    ),
    "prints without end": ("while True:\n    posix['write'](2, b'x' * 65536)", {"silence"}, "said nothing"),
}


@pytest.mark.parametrize("name", ESCAPES)
def test_code_that_escapes_from_python_meets_the_kernel(bench: ProcessBench, name: str) -> None:
    body, kinds, words = ESCAPES[name]
    error = failure(bench, escaped(body), check=False, **patience(kinds))
    assert error.kind in kinds, error.message
    assert words in error.message
    assert len(error.log) < 100_000


@pytest.mark.parametrize("name", ESCAPES)
def test_the_check_refuses_every_escape(name: str) -> None:
    assert any("which a reward must not" in problem for problem in check_reward(escaped(ESCAPES[name][0])))


def test_a_checked_worker_does_not_run_what_the_check_refuses(bench: ProcessBench) -> None:
    error = failure(bench, escaped(ESCAPES["os._exit"][0]), check=True)
    assert error.kind == "reward"
    assert "private attribute `__subclasses__`" in error.message


NUMPY = {
    "np.fromfile": "np.fromfile('{secret}', dtype='u1')",
    "np.memmap": "np.memmap('{secret}')",
    "np.loadtxt": "np.loadtxt('{secret}', dtype=str)",
    "np.genfromtxt": "np.genfromtxt('{secret}', dtype=str)",
    "np.load": "np.load('{secret}', allow_pickle=True)",
    "np.save": "np.save('{target}', np.ones(3))",
    "np.savez": "np.savez('{target}', np.ones(3))",
    "tofile": "np.ones(3).tofile('{target}')",
    "dump": "np.ones(3).dump('{target}')",
    "np.lib.format": "np.lib.format.open_memmap('{target}', mode='w+', shape=(3,))",
    "np.ctypeslib": "np.ctypeslib.load_library('libc.so.6', '/lib')",
    "open": "__import__('builtins').open('{secret}').read()",
}


@pytest.mark.parametrize("name", NUMPY)
def test_numpys_own_ways_to_files_are_closed(bench: ProcessBench, tmp_path: Path, name: str) -> None:
    secret, target = tmp_path / "secret.npy", tmp_path / "target.npy"
    secret.write_text("hunter2\n" * 100)
    body = f"x = {NUMPY[name].format(secret=secret, target=target)}\nraise ValueError(str(x))"
    code = reward(f"{body}\nreturn 1.0, {{}}")
    assert check_reward(code)
    error = failure(bench, code, check=False)
    assert error.kind == "reward"
    assert "hunter2" not in error.message + error.log
    assert not target.exists()


@pytest.mark.parametrize("path", ["reward", "home", "proc"])
def test_a_foreign_file_is_not_read(bench: ProcessBench, tmp_path: Path, path: str) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("hunter2")
    file = {"reward": str(secret), "home": "/etc/passwd", "proc": f"/proc/{os.getpid()}/environ"}[path]
    error = failure(bench, escaped(f"raise ValueError(python['open']({file!r}).read())"), check=False)
    assert "Permission denied" in error.message
    assert "hunter2" not in error.message + error.log


@pytest.mark.parametrize("mode", ["w", "a", "x", "r+"])
def test_no_file_is_written(bench: ProcessBench, tmp_path: Path, mode: str) -> None:
    target = tmp_path / "target"
    if mode == "r+":
        target.write_text("before")
    error = failure(bench, escaped(f"python['open']({str(target)!r}, {mode!r}).write('after')"), check=False)
    assert "writes no files" in error.message
    assert not target.exists() or target.read_text() == "before"


def test_nothing_is_removed(bench: ProcessBench, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    error = failure(bench, escaped(f"take('shutil').rmtree({str(tmp_path)!r})"), check=False)
    assert error.kind == "reward"
    assert (tmp_path / "kept").read_text() == "kept"


def test_no_connection_is_made(bench: ProcessBench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.0)
        port = server.getsockname()[1]
        error = failure(
            bench, escaped(f"take('socket').create_connection(('127.0.0.1', {port}))"), check=False
        )
        assert error.kind == "reward"
        with pytest.raises(BlockingIOError):
            server.accept()


def test_the_owner_is_not_killed(bench: ProcessBench) -> None:
    error = failure(bench, escaped("posix['kill'](posix['getppid'](), 9)"), check=False)
    assert "os.kill" in error.message


def test_secrets_in_variables_are_not_there(bench: ProcessBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUNTER_API_KEY", "hunter2")
    monkeypatch.setenv("MY_PASSWORD", "hunter3")
    error = failure(bench, escaped("raise ValueError(str(dict(posix['environ'])))"), check=False)
    assert "OMP_NUM_THREADS" in error.message
    assert "hunter" not in error.message + error.log


def test_importing_the_caller_gives_only_its_code(bench: ProcessBench) -> None:
    code = escaped(
        "take('rpent_robosmith.work.bench')\n"
        "take('sys').modules['rpent_robosmith.work.bench'].ProcessBench.run = None\n"
        "take('sys').modules['__main__'].main = None"
    )
    assert run(bench, code, check=False)["errors"] == 0
    assert run(bench, GOOD, check=True)["errors"] == 0


def test_the_check_and_the_builtins_refuse_to_import_the_caller(bench: ProcessBench) -> None:
    code = "import rpent_robosmith.workflow.graph\n" + GOOD
    assert "may import only" in failure(bench, code, check=True).message
    assert "may not import `rpent_robosmith.workflow.graph`" in failure(bench, code, check=False).message


def test_a_forged_message_is_data_and_its_size_is_bounded(bench: ProcessBench) -> None:
    forged = escaped(
        "stream = take('rpent_robosmith.work.stream', fromlist=['x'])\n"
        "context = python['next'](o for o in take('gc').get_objects() if python['type'](o).__name__ == 'PipeContext')\n"
        "context.tell('progress', steps=[0] * 3 * 10 ** 6)"
    )
    assert failure(bench, forged, check=False).kind == "protocol"


def test_a_seal_cannot_be_forged_later(bench: ProcessBench) -> None:
    forged = escaped(
        "context = python['next'](o for o in take('gc').get_objects() if python['type'](o).__name__ == 'PipeContext')\n"
        "context.tell('sealed', caveats=['all is well'])"
    )
    heard = []
    job = Job(run="sealed_jobs:drive", params={"code": forged, "check": False, "steps": 5}, sealed=True)
    bench.run(job, lambda kind, data: heard.append(data) if kind == "sealed" else None)
    assert heard == [{"caveats": []}]


def test_a_message_that_the_owner_cannot_read_costs_the_candidate(bench: ProcessBench) -> None:
    forged = escaped(
        "context = python['next'](o for o in take('gc').get_objects() if python['type'](o).__name__ == 'PipeContext')\n"
        "context.tell('progress', nothing=1)"
    )
    job = Job(run="sealed_jobs:drive", params={"code": forged, "check": False}, sealed=True)
    with pytest.raises(WorkError) as caught:
        bench.run(job, lambda kind, data: data["steps"] if kind == "progress" else None)
    assert caught.value.kind == "protocol"
    assert "`progress`" in caught.value.message


def test_good_candidates_run_beside_hostile_ones(bench: ProcessBench) -> None:
    codes = [
        escaped("posix['_exit'](1)"),
        GOOD,
        reward("while True:\n    pass"),
        GOOD,
        reward("return 1 / 0, {}"),
    ]
    threads = threading.active_count()

    def outcome(code: str) -> str:
        try:
            return f"{run(bench, code, check=False, silence_s=5.0)['errors']} errors"
        except WorkError as error:
            return error.kind

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(outcome, codes)) == ["killed", "0 errors", "silence", "0 errors", "reward"]
    assert threading.active_count() == threads
