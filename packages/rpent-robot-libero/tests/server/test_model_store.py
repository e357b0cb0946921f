from __future__ import annotations

import hashlib
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


def test_the_model_is_the_one_that_the_benchmark_compiles(make_env, backstage):
    """Apart from unused assets; whether they were read side by side or came from a file."""
    import mujoco

    env = make_env(suite="libero_object_swap", task=2)
    inner = backstage(env)
    ours, theirs = inner.scene.model, mujoco.MjModel.from_xml_string(inner.scene.env.model.get_xml())
    env.reset(seed=0)
    for name in (
        "geom_size",
        "geom_pos",
        "geom_friction",
        "body_mass",
        "body_inertia",
        "jnt_range",
        "dof_damping",
    ):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.ntexdata < theirs.ntexdata
    for geom in range(ours.ngeom):
        if (mesh := ours.geom_dataid[geom]) >= 0:
            other = theirs.geom_dataid[geom]
            np.testing.assert_array_equal(vertices(ours, mesh), vertices(theirs, other))
        if (material := ours.geom_matid[geom]) >= 0:
            assert texture(ours, material) == texture(theirs, theirs.geom_matid[geom])


def vertices(model, mesh):
    start = model.mesh_vertadr[mesh]
    return model.mesh_vert[start : start + model.mesh_vertnum[mesh]]


def texture(model, material):
    """Digest of a material's picture."""
    index = model.mat_texid[material, 1]
    if index < 0:
        return None
    start = model.tex_adr[index]
    size = int(model.tex_width[index]) * int(model.tex_height[index]) * int(model.tex_nchannel[index])
    return hashlib.sha256(model.tex_data[start : start + size].tobytes()).hexdigest()


def test_the_controllers_kernels_are_loaded_for_the_layouts_that_are_used(fresh):
    from robosuite.utils import control_utils

    fresh.chunk_step(np.full((2, 7), 0.3))
    assert len(control_utils.opspace_matrices.signatures) == 1
    assert len(control_utils.nullspace_torques.signatures) == 1
    assert len(control_utils.orientation_error.signatures) == 1
