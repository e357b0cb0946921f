"""The tree of placeholders: complete, always the same, and in its place at once or not at all."""

from __future__ import annotations

import os
from xml.etree import ElementTree

import pytest
from rpent.errors import EnvironmentSetupError
from rpent_robot_robocasa.assets.manifest import asset_files, read_manifest, tree_digest
from rpent_robot_robocasa.assets.placeholder import write
from rpent_robot_robocasa.assets.placeholder.objects.categories import read_categories
from rpent_robot_robocasa.assets.placeholder.write import write_placeholder


def test_everything_that_the_package_names_is_there(package, tmp_path):
    folder = tmp_path / "assets"
    write_placeholder(package, folder)
    for name in (
        "fixtures/sinks/Sink001/model.xml",
        "fixtures/fridges/Refrigerator002/model.xml",
        "fixtures/handles/CabinetHandle001/model.xml",
        "fixtures/handles/CabinetHandle001/tex.png",
        "objects/objaverse/apple/apple_p0/model.xml",
        "objects/aigen_objs/apple/apple_p1/model.xml",
        "objects/objaverse/bread/bread_p0/model_upright.xml",
        "objects/objaverse/kiwi/kiwi_6/model.xml",
        "objects/aigen_objs/apple/apple_8/model.xml",
        "objects/lightwheel/saucepan/saucepan_with_lid_p0/model.xml",
        "objects/lightwheel/saucepan/saucepan_with_lid_p0/saucepan_lid/model.xml",
        "objects/lightwheel/jar/Jar024/Jar024_Lid/model.xml",
        "textures/flat/red.png",
        "textures/wood/dark_wood.png",
        "fixtures/fixture_registry/rest.yaml",
    ):
        assert (folder / name).is_file(), name
    bundled = package.root / "models/assets/fixtures/cabinets/panel.xml"
    assert (folder / "fixtures/cabinets/panel.xml").read_bytes() == bundled.read_bytes()
    assert (folder / "textures/flat/red.png").read_bytes().startswith(b"\x89PNG")


def test_two_writings_are_the_same_byte_for_byte(package, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    manifests = write_placeholder(package, first), write_placeholder(package, second)
    assert manifests[0] == manifests[1] == read_manifest(first)
    names = asset_files(first)
    assert names == asset_files(second)
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)
    assert manifests[0].digest == tree_digest(first, names)
    assert (manifests[0].files, manifests[0].package_version) == (len(names), "9.9.1")


def test_a_writing_that_fails_leaves_what_was_there(package, tmp_path, monkeypatch):
    folder = tmp_path / "assets"
    before = write_placeholder(package, folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "_write_new", full)
    with pytest.raises(EnvironmentSetupError, match="No space left"):
        write_placeholder(package, folder)
    assert read_manifest(folder) == before
    assert [entry.name for entry in tmp_path.iterdir() if "assets" in entry.name] == ["assets"]


def test_a_full_disk_is_told_in_one_line(package, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rpent_robot_robocasa.assets.bundled.shutil.copyfile", full)
    with pytest.raises(EnvironmentSetupError) as caught:
        write_placeholder(package, tmp_path / "out")
    assert "No space left on device" in caught.value.message
    assert len(caught.value.message) < 100 + len(str(tmp_path))
    assert not list(tmp_path.glob("*out*"))


def test_what_was_there_is_replaced_whole(package, tmp_path):
    folder = tmp_path / "assets"
    write_placeholder(package, folder)
    (folder / "fixtures/sinks/Sink001/model.xml").unlink()
    (folder / "left_over.txt").touch()
    manifest = write_placeholder(package, folder)
    assert not (folder / "left_over.txt").exists()
    assert tree_digest(folder, asset_files(folder)) == manifest.digest
    assert [entry.name for entry in tmp_path.iterdir() if "assets" in entry.name] == ["assets"]


def test_what_killed_writings_left_is_removed_after_a_while(package, tmp_path):
    folder = tmp_path / "placeholder"
    killed, under_way = tmp_path / ".placeholder-killed", tmp_path / ".placeholder-new"
    for left in (killed, under_way):
        (left / "objects").mkdir(parents=True)
    os.utime(killed, (1.0, 1.0))
    write_placeholder(package, folder)
    assert not killed.exists()
    assert under_way.exists()


def test_every_model_is_well_formed_with_names_of_its_own(package):
    for name, content in write.generated_files(package.root):
        if name.endswith(".xml"):
            names = [geom.get("name") for geom in ElementTree.fromstring(content).iter("geom")]
            assert None not in names, name
            assert len(set(names)) == len(names), name


def test_every_model_compiles(package, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    write_placeholder(package, tmp_path / "assets")
    models = [
        *(tmp_path / "assets").rglob("model.xml"),
        *(tmp_path / "assets").rglob("model_upright.xml"),
    ]
    assert len(models) > 30
    for file in models:
        assert mujoco.MjModel.from_xml_path(str(file)).nbody >= 2, file


def test_categories_are_read_without_running_the_package(package):
    (package.root / "models/objects/kitchen_objects.py").open("a").write('raise RuntimeError("run")\n')
    categories = {category.name: category for category in read_categories(package.root)}
    assert categories["wine"].types == ("drink", "alcohol")
    assert categories["apple"].types == ("fruit",)
    assert [source.folders for source in categories["apple"].sources] == [
        ("objaverse/apple",),
        ("aigen_objs/apple",),
    ]
    assert categories["bread"].sources[0].scale == (0.7, 0.7, 1.0)
    assert categories["saucepan_lid"].sources[0].auxiliary


@pytest.mark.parametrize("text", ["OBJ_CATEGORIES = load()\n", "NOTHING = 1\n", "def broken(:\n"])
def test_another_package_is_refused_in_a_sentence(package, tmp_path, text):
    (package.root / "models/objects/kitchen_objects.py").write_text(text)
    with pytest.raises(EnvironmentSetupError, match="`OBJ_CATEGORIES` cannot be read"):
        write_placeholder(package, tmp_path / "assets")
    assert not (tmp_path / "assets").exists()


def test_nothing_that_moves_hits_what_does_not(package, tmp_path):
    """A joint that is blocked by its own fixture can be set by the simulator, and is pushed back at the next step."""
    mujoco = pytest.importorskip("mujoco")
    write_placeholder(package, tmp_path / "assets")
    for file in (tmp_path / "assets" / "fixtures").rglob("model.xml"):
        model = mujoco.MjModel.from_xml_path(str(file))
        data = mujoco.MjData(model)
        for joint in range(model.njnt):
            for share in (0.0, 0.25, 0.5, 0.75, 1.0):
                mujoco.mj_resetData(model, data)
                _open_doors_before(model, data, joint)
                low, high = model.jnt_range[joint]
                data.qpos[joint] = low + share * (high - low)
                mujoco.mj_forward(model, data)
                deep = [contact for contact in data.contact if contact.dist < -2e-4]
                names = [(model.geom(pair.geom1).name, model.geom(pair.geom2).name) for pair in deep]
                assert names == [], f"{file.parent.name}: {model.joint(joint).name} at {share:.0%}"


def _open_doors_before(model, data, joint: int) -> None:
    """Open the doors before what slides out through them."""
    if not any(word in model.joint(joint).name for word in ("rack", "drawer")):
        return
    for other in range(model.njnt):
        if "door" in model.joint(other).name:
            data.qpos[other] = max(model.jnt_range[other], key=abs)


def test_nothing_moves_by_itself(package, tmp_path):
    """A switch that sinks under its own weight would solve its task alone."""
    mujoco = pytest.importorskip("mujoco")
    write_placeholder(package, tmp_path / "assets")
    for file in (tmp_path / "assets" / "fixtures").rglob("model.xml"):
        model = mujoco.MjModel.from_xml_path(str(file))
        data = mujoco.MjData(model)
        for _ in range(5000):
            mujoco.mj_step(model, data)
        for joint in range(model.njnt):
            low, high = model.jnt_range[joint]
            share = abs(data.qpos[joint]) / (high - low)
            assert share < 0.05, f"{file.parent.name}: {model.joint(joint).name} moved by {share:.0%} in 10 s"
