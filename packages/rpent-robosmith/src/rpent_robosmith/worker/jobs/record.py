"""The job that films a policy: seeded episodes, rendered and encoded; the owner gets the film's bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RpentError, UsageError

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.policies import policy_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import gymnasium
    from numpy.typing import NDArray

    from rpent_robosmith.worker.api import JobContext
    from rpent_robosmith.worker.episodes import Step

MAX_SIDE = 480
DEFAULT_FPS = 30
STILL_FRAMES = 8
"""Of the last picture of each episode, so that its end is seen."""
_EXACT = ("-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1")
"""No time, no version: the same pictures give the same bytes."""


class FilmError(RpentError):
    """No film can be made; the delivery goes on without it."""


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Film a policy.

    Args:
        params: `entry`, the catalog entry as plain data; `policy`, the folder; `seeds`, one an episode; `max_frames`.
        context: Told how far it is.

    Returns:
        `film` (bytes of an MP4 as (N,) uint8), `frames`, `fps`, `episodes` (records as plain data).

    Raises:
        UsageError: The environment cannot be rendered.
        FilmError: There is no encoder, or it failed.
    """
    entry = EnvEntry.model_validate(params["entry"])
    policy = policy_function(read_policy(params["policy"]))
    env = make_env(entry, render_mode="rgb_array")
    with tempfile.TemporaryDirectory() as folder:
        camera = Camera(Path(folder) / "film.mp4", fps_of(env), int(params.get("max_frames", 3000)))
        records = []
        try:
            for number, seed in enumerate(params["seeds"]):
                context.tell("progress", label="film", done=float(number), total=float(len(params["seeds"])))
                watch = _watching(env, camera, context)
                records.append(run_episode(env, policy, entry, int(seed), watch=watch))
                camera.hold()
            if not camera.frames:
                raise FilmError(_nothing(records[-1].error))
        finally:
            camera.close()
            env.close()
        film = np.frombuffer(camera.path.read_bytes(), np.uint8)
    return {
        "film": film,
        "frames": camera.frames,
        "fps": camera.fps,
        "episodes": [record.model_dump(mode="json") for record in records],
    }


def _nothing(error: str) -> str:
    if not error or error.startswith("NotImplementedError"):
        return "The environment draws no pictures."
    return f"Nothing could be filmed: {error}."


def _watching(env: gymnasium.Env[Any, Any], camera: Camera, context: JobContext) -> Callable[[Step], None]:
    def watch(_step: Step) -> None:
        camera.add(_picture(env))
        context.tell("alive")

    return watch


def _picture(env: gymnasium.Env[Any, Any]) -> NDArray[np.uint8]:
    picture: Any = env.render()
    if isinstance(picture, list):
        picture = picture[-1]
    if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.shape[2] != 3:
        raise UsageError("The environment renders no pictures (`rgb_array`).")
    return np.asarray(picture, np.uint8)


def fps_of(env: gymnasium.Env[Any, Any]) -> int:
    """Return pictures a second, as the environment says."""
    fps = env.metadata.get("render_fps")
    return int(min(100, max(1, round(fps)))) if isinstance(fps, (int, float)) and fps > 0 else DEFAULT_FPS


class Camera:
    """Streams pictures of one size to an encoder.

    Args:
        path: The film.
        fps: Pictures a second.
        max_frames: After which pictures are left out.
    """

    def __init__(self, path: Path, fps: int, max_frames: int) -> None:
        self.path, self.fps, self._max = path, fps, max_frames
        self.frames = 0
        self._encoder: subprocess.Popen[bytes] | None = None
        self._shape: tuple[int, ...] = ()
        self._last = b""

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Film a picture, (H, W, 3) uint8.

        Raises:
            FilmError: There is no encoder, or it failed.
        """
        if self.frames >= self._max:
            return
        stride = -(-max(picture.shape[:2]) // MAX_SIDE)
        picture = picture[::stride, ::stride]
        height, width = picture.shape[0] & ~1, picture.shape[1] & ~1
        picture = picture[:height, :width]
        if self._encoder is None:
            self._shape = picture.shape
            self._encoder = _start(self.path, width, height, self.fps)
        if picture.shape != self._shape:
            raise FilmError(f"The pictures change their size from `{self._shape}` to `{picture.shape}`.")
        self._last = np.ascontiguousarray(picture).tobytes()
        self._write()

    def hold(self) -> None:
        """Show the last picture a little longer."""
        for _ in range(STILL_FRAMES if self._encoder else 0):
            self._write()

    def close(self) -> None:
        """Finish the film.

        Raises:
            FilmError: The encoder failed.
        """
        encoder, self._encoder = self._encoder, None
        if encoder is None:
            return
        _, said = encoder.communicate()
        if encoder.returncode != 0:
            raise FilmError(f"The encoder failed: {_last_line(said)}.")

    def _write(self) -> None:
        assert self._encoder is not None
        assert self._encoder.stdin is not None
        try:
            self._encoder.stdin.write(self._last)
        except OSError:
            self.close()
            raise FilmError("The encoder ended early.") from None
        self.frames += 1


def _start(path: Path, width: int, height: int, fps: int) -> subprocess.Popen[bytes]:
    command = [encoder_path(), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += [
        "-s",
        f"{width}x{height}",
        "-r",
        str(fps),
        "-i",
        "-",
        "-an",
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
    ]
    command += [
        "-crf",
        "23",
        "-pix_fmt",
        "yuv420p",
        "-threads",
        "1",
        *_EXACT,
        "-movflags",
        "+faststart",
        str(path),
    ]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def encoder_path() -> str:
    """Return the encoder: imageio-ffmpeg's own, else the system's.

    Raises:
        FilmError: There is none.
    """
    chosen = os.environ.get("IMAGEIO_FFMPEG_EXE")
    try:
        import imageio_ffmpeg  # noqa: PLC0415

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = chosen or shutil.which("ffmpeg")
    if not found:
        raise FilmError("There is no video encoder.", hint='pip install "rpent-robosmith[video]"')
    return found


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "it says nothing"
