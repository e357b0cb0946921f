"""`rpent robocasa assets fetch` against a local host: the registry is the package's own, read by an interpreter."""

from __future__ import annotations

import fcntl
import json
import random
import signal
import subprocess
import sys
import time
from collections import namedtuple

import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent.errors import EnvironmentSetupError
from rpent_robot_robocasa.assets.fetch import room, unpack
from rpent_robot_robocasa.assets.fetch.registry import read_registry
from rpent_robot_robocasa.assets.locate import locate
from rpent_robot_robocasa.assets.manifest import read_manifest
from rpent_robot_robocasa.assets.packs import PACKS
from rpent_robot_robocasa.assets.paths import real_dir

from .conftest import archive

FOLDERS = {
    "tex": "textures",
    "tex_generative": "generative_textures",
    "fixtures_lw": "fixtures",
    "objs_objaverse": "objects/objaverse",
    "objs_aigen": "objects/aigen_objs",
    "objs_lw": "objects/lightwheel",
}


@pytest.fixture
def served(package, host):
    """A package whose registry names archives of the local host."""
    scripts = package.root / "scripts"
    scripts.mkdir()
    (scripts / "__init__.py").touch()
    entries = {
        name: {
            "message": "…",
            "url": host.url(f"{name}.zip"),
            "folder": f"{package.root}/models/assets/{folder}",
        }
        for name, folder in FOLDERS.items()
    }
    (scripts / "download_kitchen_assets.py").write_text(
        f"print('a warning at import')\nDOWNLOAD_ASSET_REGISTRY = {entries!r}\n"
    )
    for name, folder in FOLDERS.items():
        top = folder.rpartition("/")[2]
        host.files[f"{name}.zip"] = archive({f"{top}/{name}/model.xml": name.encode()})
    return package


@pytest.fixture
def run(served):
    """Run the command; return exit code, output and error stream."""

    def start(*arguments):
        done = CliRunner().invoke(
            main, ["robocasa", "assets", "fetch", "--package", str(served.root), *arguments]
        )
        return done.exit_code, done.stdout, done.stderr

    return start


def test_the_registry_is_read_as_data(served, host):
    found = {item.name: (item.url, str(item.folder)) for item in read_registry(served)}
    assert found == {name: (host.url(f"{name}.zip"), folder) for name, folder in FOLDERS.items()}


def test_it_makes_a_whole_tree_that_a_run_then_uses(run, host):
    code, out, err = run()
    assert code == 0, err
    folder = real_dir()
    assert out.startswith("6 of 6 packs, ")
    assert "objs_lw: unpacking" in err
    for name, place in FOLDERS.items():
        assert (folder / place / name / "model.xml").read_text() == name
    assert (folder / "fixtures/fixture_registry/rest.yaml").is_file()
    assert locate("auto", version="9.9.1").kind == "real"
    assert list((folder / ".fetch").glob("*.zip*")) == []
    assert read_manifest(folder).packs == {name: host.url(f"{name}.zip") for name in PACKS}


def test_what_is_there_is_not_fetched_again(run, host):
    run("--pack", "tex")
    assert [path for path, _ in host.asked] == ["/tex.zip"]
    assert "are incomplete" in problem_of_the_real_ones()
    run()
    assert sorted(path for path, _ in host.asked) == sorted(f"/{name}.zip" for name in PACKS)
    run("--pack", "tex", "--force")
    assert host.asked[-1] == ("/tex.zip", None)


def problem_of_the_real_ones() -> str:
    with pytest.raises(EnvironmentSetupError) as caught:
        locate("real", version="9.9.1")
    return caught.value.message


def test_after_a_failure_the_packs_before_it_are_kept(run, host):
    good, host.files["fixtures_lw.zip"] = host.files["fixtures_lw.zip"], b"<html>moved</html>"
    code, _, err = run()
    assert code == 3
    assert "The pack `fixtures_lw` from" in err
    assert "is no complete ZIP archive" in err
    assert set(read_manifest(real_dir()).packs) == {"tex", "tex_generative"}
    host.files["fixtures_lw.zip"] = good
    host.asked.clear()
    assert run()[0] == 0
    assert "/tex.zip" not in [path for path, _ in host.asked]


def test_a_pack_that_moved_is_fetched_again(run, host, served):
    run()
    host.asked.clear()
    script = served.root / "scripts" / "download_kitchen_assets.py"
    script.write_text(script.read_text().replace("tex.zip", "tex2.zip"))
    host.files["tex2.zip"] = archive({"textures/new.png": b"new"})
    assert run()[0] == 0
    assert [path for path, _ in host.asked] == ["/tex2.zip"]


def test_a_full_disk_is_said_before_the_download(run, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(room.shutil, "disk_usage", lambda _: usage(10, 10, 1_000_000))
    code, _, err = run()
    assert code == 3
    assert "has 0.0 GB left, and the pack `tex` needs 0.2 GB" in err
    assert "RPENT_ROBOCASA_ASSETS" in err


def no_space(*_):
    raise OSError(28, "No space left on device")


def test_a_disk_that_fills_up_while_unpacking_is_one_sentence(run, monkeypatch):
    monkeypatch.setattr(unpack.shutil, "copyfileobj", no_space)
    code, _, err = run("--pack", "tex")
    assert code == 3
    assert "(No space left on device)" in err
    assert "Traceback" not in err
    assert (real_dir() / ".fetch" / "tex.zip").is_file(), "it is not fetched again when there is room"


def test_an_unreachable_host_is_one_sentence(run, served):
    script = served.root / "scripts" / "download_kitchen_assets.py"
    script.write_text(script.read_text().replace("http://127.0.0.1", "http://nowhere.invalid"))
    code, out, err = run()
    assert (code, out) == (3, "")
    assert "The host `nowhere.invalid` of the kitchen assets cannot be reached" in err
    assert "Traceback" not in err


def test_a_package_without_the_registry_is_one_sentence(run, served):
    (served.root / "scripts" / "download_kitchen_assets.py").unlink()
    code, _, err = run()
    assert code == 3
    assert "does not say what its assets are downloaded from" in err


def test_ctrl_c_keeps_what_has_arrived_and_the_next_run_goes_on(run, served, host):
    host.files["tex.zip"] = whole = archive({"textures/a.bin": random.Random(0).randbytes(3_000_000)})
    host.holds = True
    command = [sys.executable, "-m", "rpent", "robocasa", "assets", "fetch", "--pack", "tex"]
    process = subprocess.Popen([*command, "--package", str(served.root)], stderr=subprocess.PIPE, text=True)
    part = real_dir() / ".fetch" / "tex.zip.part"
    deadline = time.monotonic() + 30
    while not (part.exists() and part.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    arrived = part.stat().st_size
    assert 0 < arrived < len(whole)
    host.holds = False
    assert run("--pack", "tex")[0] == 0
    assert host.asked[-1] == ("/tex.zip", f"bytes={arrived}-")
    assert (real_dir() / "textures" / "a.bin").stat().st_size == 3_000_000


def test_two_at_once_are_refused(run, host):
    run("--pack", "tex")
    with (real_dir() / ".fetch" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, _, err = run()
    assert code == 3
    assert "Another process is fetching kitchen assets" in err


def test_json_tells_what_is_there(run):
    code, out, _ = run("--json", "--pack", "tex")
    data = json.loads(out)
    assert (code, data["folder"], list(data["manifest"]["packs"])) == (0, str(real_dir()), ["tex"])
