"""Does one distribution own each module? Two that write the same package overwrite each other's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.plugins.index import canonical, metadata_field
from rpent.specs import CheckResult, DoctorCheck

if TYPE_CHECKING:
    from importlib_metadata import Distribution


def owners() -> dict[str, set[str]]:
    """Return who installs each top-level package's `__init__.py` (namespace packages have none)."""
    from importlib_metadata import distributions  # noqa: PLC0415

    found: dict[str, set[str]] = {}
    for distribution in distributions():
        name = canonical(metadata_field(distribution, "Name"))
        for module in packages_of(distribution):
            found.setdefault(module, set()).add(name)
    return found


def packages_of(distribution: Distribution) -> set[str]:
    """Return the top-level packages that a distribution writes into site-packages."""
    files = distribution.files or []
    return {path.parts[0] for path in files if len(path.parts) == 2 and path.parts[1] == "__init__.py"}


def check_owners() -> CheckResult:
    """Look for a package with two owners, and for an `rpent` that is not rpent-core's."""
    clashes = {module: names for module, names in owners().items() if len(names) > 1}
    if not clashes:
        return CheckResult(status="ok", message="Every module belongs to one distribution.")
    module, names = sorted(clashes.items())[0]
    listed = " and ".join(f"`{name}`" for name in sorted(names))
    keep = min(names, key=lambda name: (not name.startswith("rpent"), name))
    others = " ".join(sorted(names - {keep}))
    return CheckResult(
        status="fail",
        message=f"The module `{module}` belongs to {listed}: each overwrites the other's files.",
        remedy=f"pip uninstall -y {others} && pip install --force-reinstall --no-deps {keep}",
    )


CHECK = DoctorCheck(name="modules", summary="No two distributions own one module.", run=check_owners)
