"""Compile the locks of the managed environments: `python tools/compile_locks.py [NAME ...]`.

Run it in the workspace's environment after a change of requirements; the locks are package data of the
distributions that declare the environments, and are committed. `--check` only says whether each lock still
covers what is required.
"""

from __future__ import annotations

import argparse
import sys
from importlib import resources
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rpent.environments.catalog import DeclaredEnvironment, declared_environment, declared_environments
from rpent.environments.lock import all_requirements, compile_lock


def main() -> int:
    """Compile, or check, the locks that were named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="environments; all when none is named")
    parser.add_argument(
        "--check", action="store_true", help="do not compile; exit 1 when a lock is out of date"
    )
    options = parser.parse_args()
    wanted = [declared_environment(name) for name in options.names] or list(declared_environments().values())
    code = 0
    for declared in wanted:
        if declared.spec.lock is None:
            continue
        path = lock_path(declared)
        if options.check:
            missing = not_covered(declared, path.read_text(encoding="utf-8"))
            print(f"{declared.spec.name}: " + (f"lacks {', '.join(missing)}" if missing else "up to date"))
            code = code or bool(missing)
        else:
            path.parent.mkdir(exist_ok=True)
            distributions = (declared.distribution, *declared.sharing)
            compile_lock(declared.spec, distributions, path, say=print)
            print(f"{declared.spec.name}: wrote {declared.spec.lock}")
    return int(code)


def lock_path(declared: DeclaredEnvironment) -> Path:
    """Return the lock's place in the source tree."""
    package, _, path = str(declared.spec.lock).partition(":")
    return Path(str(resources.files(package))) / path


def not_covered(declared: DeclaredEnvironment, lock: str) -> list[str]:
    """Return the requirements that no pinned version in the lock satisfies."""
    pinned = {}
    for line in lock.splitlines():
        name, pin, rest = line.partition("==")
        if pin and not line.startswith((" ", "#")):
            pinned.setdefault(canonicalize_name(name), []).append(rest.split(" ")[0])
    missing = []
    for text in all_requirements(declared.spec, declared.distribution, *declared.sharing):
        requirement = Requirement(text)
        versions = pinned.get(canonicalize_name(requirement.name), [])
        if not any(requirement.specifier.contains(version, prereleases=True) for version in versions):
            missing.append(text)
    return missing


if __name__ == "__main__":
    sys.exit(main())
