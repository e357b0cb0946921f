from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError
from rpent_robot_libero import plugin
from rpent_robot_libero.config import EnvServerConfig, LiberoConfig

LIGHT = """
import sys
import rpent_robot_libero.plugin as plugin
list(plugin.rpent_robots()), list(plugin.rpent_perceptors())
before = set(sys.modules)
import rpent_robot_libero.catalog, rpent_robot_libero.config
heavy = {"numpy", "mujoco", "robosuite", "libero", "torch", "scipy", "OpenGL"}
print(sorted(heavy & before), sorted(heavy & set(sys.modules)))
"""


def test_plugin_module_and_configuration_import_no_simulator():
    answer = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["[]", "[]"]


def test_specs_name_objects_that_exist():
    from rpent.specs import load_object

    (robot,) = plugin.rpent_robots()
    (perceptor,) = plugin.rpent_perceptors()
    assert load_object(robot.config) is LiberoConfig
    assert load_object(robot.services[0].config) is EnvServerConfig
    assert perceptor.privileged
    assert perceptor.name == robot.perceptor


@pytest.mark.parametrize(
    "values", [{"seed": -1}, {"seed": 2**31}, {"task": -1}, {"gl": "glx"}, {"suit": "x"}]
)
def test_bad_values_are_refused(values):
    with pytest.raises(ValidationError):
        LiberoConfig(**values)
