from __future__ import annotations

import os

import numpy as np
import pytest

pytestmark = pytest.mark.sim

XML = """<mujoco><worldbody><body name="b" pos="{x} 0 1"><freejoint/><geom size=".1"/><site name="s"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def make_store(tmp_path, make_env):
    from rpent_robot_libero.server.model_store import ModelStore

    return lambda limit=10**9: ModelStore(tmp_path / "cache", limit_bytes=limit)


def saved(tmp_path):
    return sorted((tmp_path / "cache").glob("*.mjb"))


def test_a_second_server_reads_what_the_first_compiled(make_store, tmp_path):
    first = make_store()
    model = first.load(XML.format(x=1), task_file_text="task")
    model.body_pos[1] = [9, 9, 9]  # as the benchmark places fixtures
    first.flush(wait=True)
    assert len(saved(tmp_path)) == 1
    second = make_store()
    second.expect("task")
    again = second.load(XML.format(x=1))
    np.testing.assert_array_equal(again.body_pos[1], [1, 0, 1])


def test_the_same_scene_is_the_same_object_as_it_was_compiled(make_store):
    store = make_store()
    model = store.load(XML.format(x=1))
    model.body_pos[1], model.site_rgba[0] = [9, 9, 9], 0
    again = store.load(XML.format(x=1))
    assert again is model
    np.testing.assert_array_equal(again.body_pos[1], [1, 0, 1])
    assert again.site_rgba[0, 3] > 0


def test_a_broken_file_is_compiled_again(make_store, tmp_path):
    store = make_store()
    store.load(XML.format(x=1))
    store.flush(wait=True)
    (path,) = saved(tmp_path)
    path.write_bytes(path.read_bytes()[:100])
    assert make_store().load(XML.format(x=1)).nbody == 2


def test_a_stale_hint_is_harmless(make_store):
    store = make_store()
    store.load(XML.format(x=1), task_file_text="task")
    store.flush(wait=True)
    other = make_store()
    other.expect("task")
    np.testing.assert_array_equal(other.load(XML.format(x=2)).body_pos[1], [2, 0, 1])


def test_oldest_scenes_go_when_the_cache_is_full(make_store, tmp_path):
    store = make_store()
    store.load(XML.format(x=1))
    store.flush(wait=True)
    (old,) = saved(tmp_path)
    os.utime(old, (1, 1))
    small = make_store(limit=old.stat().st_size + 10)
    small.load(XML.format(x=2))
    small.flush(wait=True)
    assert old not in saved(tmp_path)
    assert len(saved(tmp_path)) == 1


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path, make_env):
    from rpent_robot_libero.server.model_store import ModelStore

    (tmp_path / "file").write_text("not a folder")
    store = ModelStore(tmp_path / "file", limit_bytes=10**9)
    assert store.load(XML.format(x=1), task_file_text="t").nbody == 2
    store.flush(wait=True)


def test_compiled_and_read_models_are_equal(make_env, backstage):
    """The parallel reading of assets and the `.mjb` file give the model that the benchmark compiles."""
    import mujoco
    from rpent_robot_libero.server import warmup
    from rpent_robot_libero.server.scene import Scene

    env = make_env(suite="libero_object_swap", task=2)
    env.reset(seed=0)
    inner = backstage(env)
    xml = inner.scene.env.model.get_xml()
    warmup.read_assets(xml)
    fresh = mujoco.MjModel.from_xml_string(xml)
    for name in ("tex_data", "mesh_vert", "mesh_face", "geom_size", "body_mass", "body_inertia", "geom_rgba"):
        np.testing.assert_array_equal(getattr(fresh, name), getattr(inner.scene.model, name))
    assert Scene is type(inner.scene)


def test_the_controllers_kernels_are_loaded_for_the_layouts_that_are_used(fresh):
    from robosuite.utils import control_utils

    fresh.chunk_step(np.full((2, 7), 0.3))
    assert len(control_utils.opspace_matrices.signatures) == 1
    assert len(control_utils.nullspace_torques.signatures) == 1
    assert len(control_utils.orientation_error.signatures) == 1
