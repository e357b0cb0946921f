"""Whether this interpreter has the simulator that RoboCasa365 needs, found out before anything of it is imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from rpent.errors import EnvironmentSetupError

MUJOCO_FROM, MUJOCO_BELOW = (3, 3), (3, 10)
"""robosuite 1.5.2 calls functions that MuJoCo 3.10 changed."""

_REMEDY = "`rpent env sync --rebuild robocasa` builds an environment that has what is needed."
"""Without `--rebuild` an environment that somebody has installed into counts as up to date."""


def check() -> dict[str, str]:
    """Return the versions of what simulates: `robocasa`, `robosuite`, `mujoco`.

    Raises:
        EnvironmentSetupError: One is missing, of the wrong distribution, or out of range.
    """
    robocasa = _version("rpent-robocasa365")
    if robocasa is None:
        raise EnvironmentSetupError("This interpreter has no `rpent-robocasa365`.", hint=_REMEDY)
    plain, robosuite = _version("robosuite"), _version("praxis-robosuite")
    if plain is not None:
        also = " and overwrites parts of `praxis-robosuite`" if robosuite else ""
        raise EnvironmentSetupError(
            f"This interpreter has `robosuite` {plain}, which lacks what RoboCasa365 needs{also}.",
            hint=_REMEDY,
        )
    if robosuite is None:
        raise EnvironmentSetupError("This interpreter has no `praxis-robosuite`.", hint=_REMEDY)
    mujoco = _version("mujoco")
    if mujoco is None or not MUJOCO_FROM <= _numbers(mujoco) < MUJOCO_BELOW:
        has = "no `mujoco`" if mujoco is None else f"`mujoco` {mujoco}"
        accepted = f"{_dotted(MUJOCO_FROM)} up to, not including, {_dotted(MUJOCO_BELOW)}"
        raise EnvironmentSetupError(
            f"This interpreter has {has}, RoboCasa365 needs {accepted}.", hint=_REMEDY
        )
    return {"robocasa": robocasa, "robosuite": robosuite, "mujoco": mujoco}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
