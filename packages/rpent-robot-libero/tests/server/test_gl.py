from __future__ import annotations

import os

import pytest
from rpent.errors import RpentError
from rpent_manipulation.mujoco import gl


@pytest.fixture
def new_process(monkeypatch):
    """As if MuJoCo were not imported yet; what `choose` sets is taken back."""
    monkeypatch.setattr(gl, "_is_fixed", lambda: False)
    monkeypatch.setenv("MUJOCO_GL", "")
    monkeypatch.setenv("PYOPENGL_PLATFORM", "")
    return monkeypatch


def test_no_gl_is_one_clear_error(new_process):
    new_process.setattr(gl, "_load", lambda *_: None)
    with pytest.raises(RpentError, match=r"No picture can be rendered \(egl: .*; osmesa: ") as caught:
        gl.choose("auto")
    assert "libosmesa6" in caught.value.hint


def test_auto_falls_back_to_osmesa(new_process):
    new_process.setattr(gl, "_egl_problem", lambda: "no device")
    new_process.setattr(gl, "_osmesa_problem", lambda: None)
    assert gl.choose("auto") == "osmesa"
    assert (os.environ["MUJOCO_GL"], os.environ["PYOPENGL_PLATFORM"]) == ("osmesa", "osmesa")


def test_auto_prefers_what_the_user_exported(new_process):
    new_process.setattr(gl, "_egl_problem", lambda: None)
    new_process.setattr(gl, "_osmesa_problem", lambda: None)
    new_process.setenv("MUJOCO_GL", "osmesa")
    assert gl.choose("auto") == "osmesa"
    assert gl.choose("egl") == "egl"


def test_a_missing_backend_is_named(new_process):
    new_process.setattr(gl, "_egl_problem", lambda: "libEGL is not installed")
    with pytest.raises(RpentError, match=r"\(egl: libEGL is not installed\)"):
        gl.choose("egl")


def test_a_process_cannot_change_its_backend(new_process):
    new_process.setattr(gl, "_is_fixed", lambda: True)
    new_process.setenv("MUJOCO_GL", "egl")
    assert gl.choose("auto") == "egl"
    with pytest.raises(RpentError, match="already renders with `egl`"):
        gl.choose("osmesa")
