"""What the kernel refuses a sealed process, asked for by system calls and past everything that Python would see."""

from __future__ import annotations

import os
import platform
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.worker.sandbox import kernel, landlock, seccomp
from rpent_robosmith.worker.sandbox.places import readable_places

if TYPE_CHECKING:
    from rpent_robosmith.work.bench import ProcessBench

linux = pytest.mark.skipif(kernel.machine() is None, reason="the kernel's fences are Linux's")
x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")

PRELUDE = """
import ctypes, os, errno
from rpent_robosmith.worker.sandbox import kernel
buffer = ctypes.create_string_buffer(4096)
def call(number, *arguments):
    try:
        out.append(kernel.syscall(number, *arguments))
    except OSError as error:
        out.append(errno.errorcode[error.errno])
"""


def attempt(bench: ProcessBench, code: str, **params: Any) -> dict[str, Any]:
    job = Job(
        run="sealed_jobs:attempt",
        params={"code": PRELUDE + code, **params},
        sealed=True,
        limits=Limits(silence_s=5.0, wall_s=60.0),
    )
    return bench.run(job)


def answers(bench: ProcessBench, code: str, **params: Any) -> list[str]:
    result = attempt(bench, code, **params)
    assert result["error"] is None, result
    return result["out"]


# name, number, arguments, answer
CALLS = [
    ("open to write", 2, "b'/tmp/x', 0o101, 0o600", "EACCES"),
    ("open to append", 2, "b'/tmp/x', 0o2001", "EACCES"),
    ("open to read and write", 2, "b'/dev/null', 2", "EACCES"),
    ("openat to write", 257, "-100, b'/tmp/x', 0o101, 0o600", "EACCES"),
    ("openat a nameless file", 257, "-100, b'/tmp', 0o20200002, 0o600", "EACCES"),
    ("openat2", 437, "-100, b'/dev/null', buffer, 24", "EPERM"),
    ("read a foreign file", 2, "b'/etc/passwd', 0", "EACCES"),
    ("read a foreign folder", 2, "b'/tmp', 0", "EACCES"),
    ("read the root", 2, "b'/', 0", "EACCES"),
    ("read its own environment", 2, "b'/proc/self/environ', 0", "EACCES"),
    ("read its own memory", 2, "b'/proc/self/mem', 0", "EACCES"),
    ("read the disk", 2, "b'/dev/vda', 0", "EACCES"),
    ("the terminal", 2, "b'/dev/tty', 0", "ENXIO EACCES"),
    ("creat", 85, "b'/tmp/x', 0o600", "EPERM"),
    ("truncate", 76, "b'/tmp/x', 0", "EPERM"),
    ("mkdir", 83, "b'/tmp/x', 0o700", "EPERM"),
    ("unlink", 87, "b'/tmp/x'", "EPERM"),
    ("rename", 82, "b'/tmp/x', b'/tmp/y'", "EPERM"),
    ("symlink", 88, "b'/tmp/x', b'/tmp/y'", "EPERM"),
    ("chmod", 90, "b'/tmp', 0o777", "EPERM"),
    ("setxattr", 188, "b'/tmp', b'user.x', b'y', 1, 0", "ENOSYS"),
    ("memfd_create", 319, "b'x', 0", "EPERM"),
    ("chdir", 80, "b'/'", "EPERM"),
    ("chroot", 161, "b'/'", "ENOSYS"),
    ("mount", 165, "0, b'/tmp', b'tmpfs', 0, 0", "ENOSYS"),
    ("fork", 57, "", "EPERM"),
    ("vfork", 58, "", "EPERM"),
    ("clone a process", 56, "17, 0, 0, 0, 0", "EPERM"),
    ("clone a thread", 56, "0x50f00, 0, 0, 0, 0", "EPERM"),
    ("clone3", 435, "buffer, 88", "ENOSYS"),
    ("execve", 59, "b'/bin/true', 0, 0", "EPERM"),
    ("execveat", 322, "-100, b'/bin/true', 0, 0, 0", "EPERM"),
    ("kill its parent", 62, "os.getppid(), 9", "EPERM"),
    ("kill everybody", 62, "-1, 9", "EPERM"),
    ("kill its group", 62, "0, 9", "EPERM"),
    ("tkill", 200, "os.getppid(), 9", "EPERM"),
    ("tgkill", 234, "os.getppid(), os.getppid(), 9", "EPERM"),
    ("queue a signal", 129, "os.getppid(), 9, buffer", "EPERM"),
    ("ask whether it lives", 62, "os.getppid(), 0", "EPERM"),
    ("ptrace", 101, "16, os.getppid(), 0, 0", "EPERM"),
    ("read foreign memory", 310, "os.getppid(), buffer, 1, buffer, 1, 0", "EPERM"),
    ("write foreign memory", 311, "os.getppid(), buffer, 1, buffer, 1, 0", "EPERM"),
    ("a handle of a process", 434, "os.getppid(), 0", "EPERM"),
    ("outlive its parent", 157, "1, 0, 0, 0, 0", "EPERM"),
    ("be dumpable", 157, "4, 1, 0, 0, 0", "EPERM"),
    ("raise its memory", 302, "0, 9, buffer, 0", "EPERM"),
    ("change its parent's limits", 302, "os.getppid(), 7, buffer, 0", "EPERM"),
    ("look at its parent's limits", 302, "os.getppid(), 7, 0, buffer", "EPERM"),
    ("setrlimit", 160, "9, buffer", "EPERM"),
    ("its own limits", 302, "0, 9, 0, buffer", "0"),
    ("setsid", 112, "", "EPERM"),
    ("setuid", 105, "0", "EPERM"),
    ("capset", 126, "buffer, buffer", "ENOSYS"),
    ("unshare", 272, "0x10000000", "EPERM"),
    ("setns", 308, "3, 0", "EPERM"),
    ("socket", 41, "2, 1, 0", "EPERM"),
    ("a socket of the machine", 41, "1, 1, 0", "EPERM"),
    ("a raw socket", 41, "17, 3, 0", "EPERM"),
    ("socketpair", 53, "1, 1, 0, buffer", "EPERM"),
    ("connect", 42, "1, buffer, 16", "EPERM"),
    ("bind", 49, "1, buffer, 16", "EPERM"),
    ("io_uring_setup", 425, "8, buffer", "EPERM"),
    ("bpf", 321, "0, buffer, 72", "ENOSYS"),
    ("perf_event_open", 298, "buffer, 0, -1, -1, 0", "ENOSYS"),
    ("userfaultfd", 323, "0", "ENOSYS"),
    ("keyctl", 250, "0, -3, 0", "ENOSYS"),
    ("shmget", 29, "1, 4096, 0o1600", "ENOSYS"),
    ("inotify", 294, "0", "ENOSYS"),
    ("another filter", 317, "1, 0, buffer", "ENOSYS"),
    ("signals by descriptors", 72, "0, 8, os.getppid()", "EPERM"),
    ("type into the terminal", 16, "0, 0x5412, buffer", "ENOTTY"),
    ("the other numbers", 0x40000000 + 57, "", "ENOSYS"),
    ("getpid", 39, "", ""),
]


@linux
@x86
def test_system_calls_past_python_are_answered_by_the_filter(bench: ProcessBench) -> None:
    asked = "\n".join(f"call({number}, {arguments})" for _, number, arguments, _ in CALLS)
    given = answers(bench, asked)
    wrong = {
        name: answer
        for (name, _, _, expected), answer in zip(CALLS, given, strict=True)
        if expected and answer not in expected.split()
    }
    assert wrong == {}


@linux
@x86
def test_the_calls_of_the_old_machine_end_the_process(bench: ProcessBench) -> None:
    code = """
import mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000" "cd80" "c3"))  # mov eax, 20 (getpid of i386); int 0x80; ret
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
"""
    with pytest.raises(WorkError) as caught:
        attempt(bench, "function()", open=f"import ctypes\n{code}")
    assert "SIGSYS" in caught.value.message


@linux
def test_files_that_are_named_stay_readable_and_no_others(bench: ProcessBench, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "x").write_text("given")
    (tmp_path / "file").write_text("a file")
    (tmp_path / "other").write_text("hunter2")
    (tmp_path / "given" / "link").symlink_to(tmp_path / "other")
    code = f"""
for name in ("given/x", "file", "other", "given/link", "given/../other"):
    try:
        out.append(open({str(tmp_path)!r} + "/" + name).read())
    except OSError as error:
        out.append(errno.errorcode[error.errno])
"""
    readable = [str(tmp_path / "given"), str(tmp_path / "file"), str(tmp_path / "missing")]
    assert answers(bench, code, readable=readable) == ["given", "a file", "EACCES", "EACCES", "EACCES"]


@linux
def test_libraries_can_still_be_imported(bench: ProcessBench) -> None:
    code = """
import sqlite3, lzma, decimal, zoneinfo, importlib
import numpy.polynomial, pydantic, gymnasium.envs.classic_control.acrobot
zoneinfo.ZoneInfo("UTC")
out.append(os.urandom(4) != os.urandom(4))
out.append(os.cpu_count() > 0)
"""
    assert answers(bench, code) == ["True", "True"]


@linux
def test_files_that_were_open_to_write_are_closed_to_it(bench: ProcessBench, tmp_path: Path) -> None:
    target = tmp_path / "open"
    code = """
os.write(file.fileno(), b"after")
"""
    result = attempt(
        bench, code, open=f"file = open({str(target)!r}, 'wb', buffering=0); file.write(b'before')"
    )
    assert "File too large" in result["error"]
    assert target.read_bytes() == b"before"


@linux
def test_connections_that_were_there_stay(bench: ProcessBench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        opened = f"import socket; line = socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        assert answers(bench, "line.sendall(b'still here'); out.append('sent')", open=opened) == ["sent"]
        connection, _ = server.accept()
        with connection:
            assert connection.recv(99) == b"still here"


@linux
def test_what_the_process_was_started_with_is_erased(
    bench: ProcessBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = """
import ctypes, pathlib
fields = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
start, end = int(fields[47]), int(fields[48])
memory = (ctypes.c_char * (end - start)).from_address(start)
before = memory.raw
"""
    code = "out.extend((b'hunter2' in before, b'hunter2' in memory.raw, os.environ.get('LC_SECRET')))"
    job = Job(
        run="sealed_jobs:attempt",
        params={"code": PRELUDE + code, "open": opened},
        sealed=True,
        variables={"WORKER_TOKEN": "hunter2"},
    )
    assert bench.run(job)["out"] == ["True", "False", "None"]


@linux
def test_threads_are_bound_like_the_rest_where_they_are_allowed(bench: ProcessBench) -> None:
    code = """
import threading
def inside():
    call(2, b"/etc/passwd", 0)
    call(41, 2, 1, 0)
    call(57)
thread = threading.Thread(target=inside)
thread.start()
thread.join()
"""
    expected = ["EACCES", "EPERM", "EPERM"] if platform.machine() == "x86_64" else None
    given = answers(bench, code, threads=True)
    assert expected is None or given == expected


@linux
def test_threads_that_were_there_before_are_told(bench: ProcessBench) -> None:
    opened = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
    heard: dict[str, Any] = {}
    job = Job(run="sealed_jobs:attempt", params={"code": "out.append(1)", "open": opened}, sealed=True)
    bench.run(job, lambda kind, data: heard.update({kind: data}))
    assert heard["sealed"]["caveats"] == [
        "1 thread of a library was there before the seal; Landlock does not bind such threads."
    ]


@linux
def test_this_kernel_seals_without_reservations(bench: ProcessBench) -> None:
    if landlock.version() == 0:
        pytest.skip("this kernel has no Landlock")
    heard: dict[str, Any] = {}
    job = Job(run="sealed_jobs:attempt", params={"code": "out.append(1)"}, sealed=True)
    bench.run(job, lambda kind, data: heard.update({kind: data}))
    assert heard == {"sealed": {"caveats": []}}


def test_a_system_without_fences_says_so(bench: ProcessBench) -> None:
    opened = """
from rpent_robosmith.worker.sandbox import kernel, landlock, seccomp
def absent(*args, **kwargs):
    raise OSError(38, "Function not implemented")
landlock.restrict = seccomp.restrict = absent
"""
    heard: dict[str, Any] = {}
    job = Job(run="sealed_jobs:attempt", params={"code": "open('/tmp/x', 'w')", "open": opened}, sealed=True)
    result = bench.run(job, lambda kind, data: heard.update({kind: data}))
    if kernel.machine() is not None:
        assert [caveat.split(":")[0] for caveat in heard["sealed"]["caveats"]] == [
            "This kernel has no Landlock",
            "This kernel has no seccomp filters",
        ]
    assert result["error"].startswith("PermissionError: a sealed worker writes no files")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_lands_in_it(machine: str) -> None:
    """The kernel checks the same when it takes a filter; this covers the machine that the tests do not run on."""
    for threads in (True, False):
        instructions = seccomp.program(machine, pid=4711, threads=threads)
        assert len(instructions) < 4096
        for place, (code, if_true, if_false, _) in enumerate(instructions):
            assert max(if_true, if_false) < 256
            assert place + 1 + max(if_true, if_false) < len(instructions) or code == 0x06
        assert instructions[-1][0] == 0x06


def test_the_list_has_no_number_twice() -> None:
    for machine in ("x86_64", "aarch64"):
        numbers = [number for _, _, number in seccomp.listed(machine)]
        assert len(numbers) == len(set(numbers))


def test_a_folder_that_holds_the_home_is_not_readable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import sys

    home = tmp_path / "home" / "user"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(sys, "path", [*sys.path, str(home), str(tmp_path), "/", str(home / "project")])
    places = readable_places([])
    assert str(home / "project") in places
    assert not {str(home), str(tmp_path), "/"} & set(places)
    assert os.path.realpath(sys.prefix) in places
