"""The environment variables of a worker: no keys, no tokens, one thread for each numeric library."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.environments.interpreter import Interpreter

_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_KEPT = frozenset(
    (
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "LD_LIBRARY_PATH",
        "MUJOCO_GL",
        "PYOPENGL_PLATFORM",
        "SDL_VIDEODRIVER",
        "RPENT_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
    )
)
"""What a sealed worker inherits, besides `LC_…` and `PYTHON…`: names of places and languages, no secrets."""
_KEPT_PREFIXES = ("LC_", "PYTHON")


def worker_variables(
    interpreter: Interpreter, folder: str, *, sealed: bool, asked: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the whole environment of a worker.

    One thread, because a training is only repeatable with a fixed number, and because two libraries' pools on two cores
    are slower than none. A sealed worker sees no graphics card: talking to its driver is not among what is left to it.

    Args:
        interpreter: Where it runs.
        folder: Its scratch folder, for temporary files.
        sealed: Whether it will run untrusted code; then it only gets what is known to hold no secret.
        asked: What the job wants besides; a sealed worker forgets it when it seals itself.
    """
    variables = interpreter.environ(
        {"TMPDIR": folder, "MPLCONFIGDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    )
    variables |= dict.fromkeys(_ONE_THREAD, "1")
    variables["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others' pools have threads
    if not sealed:
        return {**variables, **(asked or {})}
    kept = (*_ONE_THREAD, "TMPDIR", "MPLCONFIGDIR", "ARROW_DEFAULT_MEMORY_POOL")
    variables = {
        name: value
        for name, value in variables.items()
        if name in _KEPT or name in kept or name.startswith(_KEPT_PREFIXES)
    }
    return {**variables, "CUDA_VISIBLE_DEVICES": "", **(asked or {})}
