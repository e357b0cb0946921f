"""Placeholders for the simulator that is installed: all that it names, and each model compiles."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from rpent_robot_robocasa.assets.fetch.registry import read_registry
from rpent_robot_robocasa.assets.package import find_package
from rpent_robot_robocasa.assets.packs import PACKS
from rpent_robot_robocasa.assets.placeholder.objects.categories import read_categories
from rpent_robot_robocasa.assets.placeholder.write import write_placeholder

pytestmark = pytest.mark.sim

COMPILE = """
import glob, json, sys
import mujoco
failed, count = {}, 0
for file in glob.glob(sys.argv[1] + "/**/model*.xml", recursive=True):
    count += 1
    try:
        mujoco.MjModel.from_xml_path(file)
    except ValueError as error:
        failed[file] = str(error)
print(json.dumps([count, failed]))
"""


@pytest.fixture
def installed(kitchen_python):
    """The package in the managed environment."""
    return find_package(Path(kitchen_python).parents[1])


def test_every_model_compiles_in_the_simulators_own_mujoco(installed, kitchen_python, tmp_path):
    write_placeholder(installed, tmp_path / "assets")
    command = [kitchen_python, "-c", COMPILE, str(tmp_path / "assets")]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    count, failed = json.loads(ended.stdout)
    assert failed == {}
    assert count > 1500


def test_every_category_has_instances(installed, tmp_path):
    write_placeholder(installed, tmp_path / "assets")
    categories = read_categories(installed.root)
    assert len(categories) > 190
    for category in categories:
        for source in category.sources:
            for folder in source.folders:
                place = tmp_path / "assets" / "objects" / folder
                assert list(place.glob(f"**/{category.name}*/model.xml")), f"{category.name} in {folder}"


def test_the_simulators_own_downloader_names_the_packs_that_are_known(installed):
    downloads = {item.name: item for item in read_registry(installed)}
    assert set(downloads) == set(PACKS)
    assert str(downloads["fixtures_lw"].folder) == "fixtures"
    assert all(item.url.startswith("https://") for item in downloads.values())
