"""Is the SDK that a planner needs installed, new enough, and importable?"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rpent.planners.faults import ModelError
from rpent.suggest import typeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement


def require_sdk(distribution: str, *, planner: str, plugin: str) -> str:
    """Return the installed version of an SDK, after comparing it with what the planner's distribution asks for.

    Args:
        distribution: The SDK as pip knows it (`openai-codex`).
        planner: Name of the planner (`codex`).
        plugin: The planner's own distribution (`rpent-planner-codex`), whose metadata hold the requirement.

    Raises:
        ModelError: The SDK is missing, or its version is not accepted.
    """
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  (only a check needs it)

    wanted = requirement_of(distribution, plugin)
    try:
        installed = version(distribution)
    except PackageNotFoundError:
        raise _error(
            f"The planner `{planner}` needs `{distribution}`, which is not installed.", wanted
        ) from None
    if wanted is not None and not wanted.specifier.contains(installed, prereleases=True):
        raise _error(
            f"The planner `{planner}` needs `{distribution}` {wanted.specifier}; {installed} is installed.",
            wanted,
        )
    return installed


@contextmanager
def importing_sdk(distribution: str, *, planner: str, plugin: str) -> Iterator[None]:
    """Turn an `ImportError` in the body into the one sentence and its command.

    Raises:
        ModelError: The SDK, or something that it needs, cannot be imported.
    """
    try:
        yield
    except ImportError as error:
        require_sdk(distribution, planner=planner, plugin=plugin)
        raise _error(
            f"The planner `{planner}` needs `{distribution}`, which cannot be imported: {error}.",
            requirement_of(distribution, plugin),
        ) from error


def installed_requirements(plugin: str) -> dict[str, str]:
    """Return the SDKs that a planner's distribution asks for, with their versions; absent ones read `missing`."""
    from importlib.metadata import PackageNotFoundError, requires, version  # noqa: PLC0415

    from packaging.requirements import Requirement  # noqa: PLC0415

    found: dict[str, str] = {}
    try:
        wanted = [Requirement(line) for line in requires(plugin) or []]
    except PackageNotFoundError:
        return found
    for requirement in wanted:
        if requirement.name.startswith("rpent") or "extra" in str(requirement.marker or ""):
            continue
        try:
            found[requirement.name] = version(requirement.name)
        except PackageNotFoundError:
            found[requirement.name] = "missing"
    return found


def requirement_of(distribution: str, plugin: str) -> Requirement | None:
    """Return what the planner's distribution asks for, or None when it names no such requirement."""
    from importlib.metadata import PackageNotFoundError, requires  # noqa: PLC0415

    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415
    from packaging.utils import canonicalize_name  # noqa: PLC0415

    wanted = canonicalize_name(distribution)
    found = None
    try:
        lines = requires(plugin) or []
    except PackageNotFoundError:
        return Requirement(distribution)
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if canonicalize_name(requirement.name) == wanted:
            if requirement.marker is None or "extra" not in str(requirement.marker):
                return requirement
            found = found or requirement
    return found or Requirement(distribution)


def _error(message: str, wanted: Requirement | None) -> ModelError:
    what = f"{wanted.name}{_extras(wanted)}{wanted.specifier}" if wanted is not None else ""
    return ModelError(message, fault="sdk", hint=typeable(f'pip install -U "{what}"'))


def _extras(wanted: Requirement) -> str:
    return f"[{','.join(sorted(wanted.extras))}]" if wanted.extras else ""
