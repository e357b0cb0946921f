"""Pictures, metric depth and instance indices of a scene, drawn only when asked for.

All arrays are upright: row 0 is the top as a person at the camera would see it. (MuJoCo reads pixels bottom-up.)
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from rpent.errors import UsageError

from rpent_manipulation.env.methods import MAX_SIZE
from rpent_manipulation.mujoco import gl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_GEOMS = 5000
_HIDDEN_GROUP = 5
"""MuJoCo draws no sites of this group unless it is told to."""
_CAMERA_AXES = np.diag([1.0, -1.0, -1.0])
"""MuJoCo's camera looks along -z with y up; ours (OpenCV's) along z with y down."""


class Renderer:
    """Draws one model. The GL objects belong to the thread that made them; another thread gets its own."""

    def __init__(self, model: Any) -> None:
        """Upload the model to the GPU; `follow` says which state of it to draw."""
        self._model: Any = model
        self._data: Any = None
        model.vis.global_.offwidth = model.vis.global_.offheight = MAX_SIZE
        self._option = mujoco.MjvOption()
        self._option.geomgroup[0] = 0  # collision shapes, which robosuite hides too
        self._option.geomgroup[1] = 1
        self._perturb, self._camera = mujoco.MjvPerturb(), mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._scene = mujoco.MjvScene(model, maxgeom=_MAX_GEOMS)
        self._open()

    def _open(self) -> None:
        self._thread = threading.get_ident()
        self._gl = gl.open_context()
        self._context = _upload(self._model)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR

    def follow(self, model: Any, data: Any) -> bool:
        """Draw another state of the same model; for another model, release everything and return False."""
        if model is self._model:
            self._data = data
            return True
        self.close()
        return False

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the scene's cameras."""
        return tuple(self._model.camera(index).name for index in range(self._model.ncam))

    def picture(self, camera: str, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the (H, W, 3) uint8 picture."""
        self._draw(camera, size)
        return self._read(size)

    def picture_and_depth(
        self, camera: str, size: tuple[int, int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return the picture and the (H, W) float32 depth in metres along the camera's z axis."""
        self._draw(camera, size)
        buffer = np.empty(size, np.float32)
        picture = self._read(size, buffer)
        near = self._model.vis.map.znear * self._model.stat.extent
        far = self._model.vis.map.zfar * self._model.stat.extent
        depth = near / (buffer[::-1] * (1 - near / far) + near / far)
        return picture, depth.astype(np.float32)

    def geom_ids(self, camera: str, size: tuple[int, int]) -> NDArray[np.int32]:
        """Return the (H, W) int32 geom id that each pixel shows, -1 where there is none."""
        self._draw(camera, size, segmentation=True)
        codes = self._read(size).astype(np.int32)
        codes = codes[..., 0] + (codes[..., 1] << 8) + (codes[..., 2] << 16)
        geom_of_code = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid != -1 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                geom_of_code[geom.segid + 1] = geom.objid
        return geom_of_code[np.where(codes <= self._scene.ngeom, codes, 0)]

    def calibration(self, camera: str, size: tuple[int, int]) -> dict[str, Any]:
        """Return the camera's meta data for pictures of `size`; see `rpent.env.CameraMeta`.

        Pixel centres have integer coordinates, so the principal point of a picture of width W is (W - 1) / 2.
        """
        index = self._camera_id(camera)
        height, width = size
        focal = 0.5 * height / np.tan(np.deg2rad(self._model.cam_fovy[index]) / 2)
        pose = np.eye(4)
        pose[:3, :3] = self._data.cam_xmat[index].reshape(3, 3) @ _CAMERA_AXES
        pose[:3, 3] = self._data.cam_xpos[index]
        intrinsics = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
        return {
            "name": camera,
            "width": width,
            "height": height,
            "intrinsics": intrinsics,
            "world_from_camera": pose,
        }

    def close(self) -> None:
        """Release the GL objects."""
        self._context.free()
        self._gl.free()

    def _camera_id(self, camera: str) -> int:
        index = int(mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_CAMERA, camera))
        if index < 0:
            raise UsageError(f"Unknown camera `{camera}`.", hint=f"Cameras: {', '.join(self.cameras)}.")
        return index

    def _draw(self, camera: str, size: tuple[int, int], *, segmentation: bool = False) -> None:
        if threading.get_ident() != self._thread:
            self._open()
        self._gl.make_current()
        self._camera.fixedcamid = self._camera_id(camera)
        mujoco.mj_camlight(self._model, self._data)
        groups = self._model.site_group.copy()
        if segmentation:  # would draw them whatever their alpha; robosuite hides its marks by a negative one
            self._model.site_group[self._model.site_rgba[:, 3] <= 0] = _HIDDEN_GROUP
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            self._perturb,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        self._model.site_group[:] = groups
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = int(segmentation)
        mujoco.mjr_render(mujoco.MjrRect(0, 0, size[1], size[0]), self._scene, self._context)

    def _read(
        self, size: tuple[int, int], depth_buffer: NDArray[np.float32] | None = None
    ) -> NDArray[np.uint8]:
        """Return the upright pixels, and fill the buffer with MuJoCo's depth, bottom row first."""
        height, width = size
        pixels = np.empty((height, width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, depth_buffer, mujoco.MjrRect(0, 0, width, height), self._context)
        return np.ascontiguousarray(pixels[::-1])


def _upload(model: Any) -> Any:
    """Return a render context of a model, with its meshes and textures.

    `MjrContext` holds Python's lock while it uploads, `mjr_uploadTexture` does not: so the context is made with
    textures of one pixel, and the real ones follow while other threads run.
    """
    width, height = model.tex_width.copy(), model.tex_height.copy()
    model.tex_width[:] = 1
    model.tex_height[:] = np.where(height == 6 * width, 6, 1)  # a cube map is six pictures in a column
    try:
        context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
    finally:
        model.tex_width[:], model.tex_height[:] = width, height
    for texture in range(model.ntex):
        mujoco.mjr_uploadTexture(model, context, texture)
    return context
