"""Which assets a run gets, and the one sentence when there are none."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from rpent.errors import EnvironmentSetupError, UsageError
from rpent_robot_robocasa.assets import locate as locating
from rpent_robot_robocasa.assets.locate import locate
from rpent_robot_robocasa.assets.manifest import FILE, write_manifest
from rpent_robot_robocasa.assets.package import find_package
from rpent_robot_robocasa.assets.packs import PACKS
from rpent_robot_robocasa.assets.paths import placeholder_dir, real_dir
from rpent_robot_robocasa.assets.placeholder.write import write_placeholder

VERSION = "9.9.1"


@pytest.fixture
def placeholder(package):
    write_placeholder(package, placeholder_dir(VERSION))
    return placeholder_dir(VERSION)


def real(packs=PACKS, version=VERSION):
    real_dir().mkdir(parents=True, exist_ok=True)
    (real_dir() / "objects").mkdir(exist_ok=True)
    write_manifest(
        real_dir(), kind="real", package_version=version, packs=dict.fromkeys(packs, "http://host/x.zip")
    )


def test_auto_takes_the_real_ones_where_they_are_complete(placeholder):
    assert (locate("auto", version=VERSION).folder, locate("auto", version=VERSION).kind) == (
        placeholder,
        "placeholder",
    )
    real()
    assert (locate("auto", version=VERSION).folder, locate("auto", version=VERSION).kind) == (
        real_dir(),
        "real",
    )
    assert locate("placeholder", version=VERSION).kind == "placeholder"


def test_incomplete_real_ones_are_not_taken(placeholder):
    real(packs=["tex"])
    assert locate("auto", version=VERSION).kind == "placeholder"
    with pytest.raises(EnvironmentSetupError, match="are incomplete: tex_generative, fixtures_lw") as caught:
        locate("real", version=VERSION)
    assert caught.value.hint == "rpent robocasa assets fetch"


def test_none_at_all_names_both_commands():
    with pytest.raises(EnvironmentSetupError, match="There are no placeholder kitchen assets in") as caught:
        locate("auto", version=VERSION)
    assert "rpent robocasa assets placeholder" in caught.value.hint
    assert "rpent robocasa assets fetch" in caught.value.hint


def test_another_version_of_the_package_is_said(placeholder):
    placeholder.rename(placeholder_dir("9.9.2"))
    with pytest.raises(
        EnvironmentSetupError, match=r"are for robocasa 9\.9\.1, and 9\.9\.2 is installed"
    ) as caught:
        locate("placeholder", version="9.9.2")
    assert caught.value.hint == "rpent robocasa assets placeholder"
    real(version="9.9.0")
    with pytest.raises(EnvironmentSetupError, match=r"are for robocasa 9\.9\.0"):
        locate("real", version="9.9.2")


def test_missing_files_are_noticed(placeholder):
    (placeholder / "objects/objaverse/mug/mug_p0/model.xml").unlink()
    with pytest.raises(EnvironmentSetupError, match=r"are incomplete: \d+ of \d+ files") as caught:
        locate("auto", version=VERSION)
    assert "rpent robocasa assets placeholder" in caught.value.hint


def test_shapes_of_an_older_generator_are_made_anew(placeholder, monkeypatch):
    monkeypatch.setattr(locating, "GENERATOR", 10_000)
    with pytest.raises(EnvironmentSetupError, match="made by another version of this package"):
        locate("placeholder", version=VERSION)


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", "[" * 100_000, json.dumps({"format": 99})])
def test_a_manifest_that_cannot_be_read_counts_as_none(placeholder, text):
    (placeholder / FILE).write_text(text)
    with pytest.raises(EnvironmentSetupError, match="There are no placeholder kitchen assets"):
        locate("placeholder", version=VERSION)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", True),
        ("kind", "other"),
        ("kind", []),
        ("package_version", 9),
        ("generator", "1"),
        ("files", "many"),
        ("bytes", None),
        ("digest", None),
        ("packs", 7),
        ("packs", ["tex"]),
        ("packs", {"tex": 1}),
    ],
)
def test_a_manifest_with_values_of_other_types_counts_as_none(placeholder, key, value):
    told = json.loads((placeholder / FILE).read_text())
    (placeholder / FILE).write_text(json.dumps({**told, key: value}))
    with pytest.raises(EnvironmentSetupError, match="There are no placeholder kitchen assets"):
        locate("placeholder", version=VERSION)


def test_assets_that_cannot_be_written_are_refused(placeholder, monkeypatch):
    monkeypatch.setattr(locating.os, "access", lambda *_: False)
    with pytest.raises(EnvironmentSetupError, match="cannot be written, and the simulator writes"):
        locate("placeholder", version=VERSION)


def test_without_the_simulator_the_environment_is_named():
    with pytest.raises(EnvironmentSetupError, match="is not installed") as caught:
        locate("auto")
    assert "rpent env sync" in caught.value.hint
    with pytest.raises(EnvironmentSetupError, match="is not installed in its managed environment"):
        find_package()


def test_a_named_folder_without_the_package_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="No package `robocasa` is in"):
        find_package(tmp_path)


def test_a_folder_that_misleads_the_simulator_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "models" / "assets"))
    with pytest.raises(UsageError, match="mistakes a path with `models/assets`"):
        placeholder_dir(VERSION)


def test_it_is_light():
    loaded = "[name for name in ('yaml', 'PIL', 'numpy') if name in sys.modules]"
    code = f"import sys, rpent_robot_robocasa.assets.locate; print({loaded})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
