"""`episode.mp4`, streamed to an encoder: memory does not grow, and a kill leaves a playable file."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FPS = 10
"""Enough to follow a robot; an encoder that repeats a still picture costs next to nothing."""
MAX_SIDE = 512


class VideoWriter:
    """Writes frames of one size. The first frame decides; later ones are cropped or padded to it.

    The file is a fragmented MP4 until `close`, which is what lets an interrupted one be played. A resumed run
    writes a second part, and `close` joins the parts.
    """

    def __init__(self, path: Path, fps: int = FPS) -> None:
        self.path = path
        self.frames = 0
        """Frames written by this process."""
        self._earlier: int | None = None
        self._fps = fps
        self._size: tuple[int, int] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._part = _next_part(path)
        self.error = ""

    def add(self, frame: NDArray[np.uint8], seconds: float = 0.0) -> None:
        """Show a frame, (H, W, 3) uint8, for `seconds`, at least for one picture.

        An encoder that fails is noted in `error` and not asked again.
        """
        if self.error:
            return
        repeat = max(1, round(seconds * self._fps))
        try:
            data = self._fitted(frame)
            process = self._process or self._start()
            assert process.stdin is not None
            for _ in range(repeat):
                process.stdin.write(data)
        except (OSError, ValueError, RuntimeError) as error:
            self.error = f"The video stopped: {error}."
            return
        self.frames += repeat

    @property
    def seconds(self) -> float | None:
        """The video's length so far, with the parts of earlier processes; None once the encoder has failed."""
        if self.error:
            return None
        if self._earlier is None:
            self._earlier = _frames_of(self.path)
        return round((self._earlier + self.frames) / self._fps, 3)

    def close(self) -> None:
        """Finish the file and join the parts; never raises for an encoder that failed."""
        process, self._process = self._process, None
        if process is not None:
            try:
                process.communicate(timeout=30)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                process.kill()
                process.wait()
        parts = [part for part in _parts(self.path) if part.stat().st_size > 0]
        if parts and not self._join(parts):
            self.error = self.error or "The parts of the video could not be joined."

    def _fitted(self, frame: NDArray[np.uint8]) -> bytes:
        frame = np.asarray(frame, dtype=np.uint8)
        if frame.ndim != 3 or frame.shape[2] != 3:
            raise ValueError(f"a frame has shape {frame.shape}, not (H, W, 3)")
        stride = -(-max(frame.shape[:2]) // MAX_SIDE)
        frame = frame[::stride, ::stride]
        height, width = frame.shape[0] & ~1, frame.shape[1] & ~1
        if self._size is None:
            self._size = (height, width)
        if (height, width) == self._size:
            return np.ascontiguousarray(frame[:height, :width]).tobytes()
        canvas = np.zeros((*self._size, 3), np.uint8)
        rows, columns = min(height, self._size[0]), min(width, self._size[1])
        canvas[:rows, :columns] = frame[:rows, :columns]
        return canvas.tobytes()

    def _start(self) -> subprocess.Popen[bytes]:
        assert self._size is not None
        if self._earlier is None:
            self._earlier = _frames_of(self.path)
        height, width = self._size
        command = [_ffmpeg(), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
        command += ["-s", f"{width}x{height}", "-r", str(self._fps), "-i", "-", "-an", "-c:v", "libx264"]
        command += ["-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-threads", "1", "-g", "50"]
        command += ["-movflags", "frag_keyframe+empty_moov+default_base_moof", str(self._part)]
        # A session of its own: Ctrl-C in the terminal must not stop the encoder before the last frame. It
        # ends by itself when its input closes, also after a kill of this process.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self._process

    def _join(self, parts: list[Path]) -> bool:
        inputs = ([self.path] if self.path.exists() else []) + parts
        joined = self.path.with_name(f".{self.path.name}.joined.mp4")
        with tempfile.NamedTemporaryFile(
            "w", suffix=".txt", dir=self.path.parent, prefix=".parts"
        ) as listing:
            listing.writelines(f"file '{part.name}'\n" for part in inputs)
            listing.flush()
            command = [
                _ffmpeg(),
                "-loglevel",
                "error",
                "-y",
                "-f",
                "concat",
                "-safe",
                "0",
                "-i",
                listing.name,
            ]
            command += ["-c", "copy", "-movflags", "+faststart", str(joined)]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, check=False, start_new_session=True
            )
        if done.returncode != 0:
            joined.unlink(missing_ok=True)
            return False
        joined.replace(self.path)
        for part in parts:
            part.unlink(missing_ok=True)
        return True


def _parts(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.stem}.part[0-9]*.mp4"))


def _next_part(path: Path) -> Path:
    return path.with_name(f"{path.stem}.part{len(_parts(path)):02d}.mp4")


def _frames_of(path: Path) -> int:
    """Count the frames that earlier processes left: of the video so far, and of parts that are not joined to it."""
    import imageio_ffmpeg  # noqa: PLC0415

    total = 0
    for part in [*([path] if path.exists() else []), *_parts(path)]:
        with suppress(OSError, RuntimeError):  # a part that cannot be read is not joined either
            total += imageio_ffmpeg.count_frames_and_secs(part)[0] if part.stat().st_size else 0
    return total


def _ffmpeg() -> str:
    import imageio_ffmpeg  # noqa: PLC0415  (only runs that record need it)

    executable: str = imageio_ffmpeg.get_ffmpeg_exe()
    return executable
