"""The data that define a managed environment: requirements, the compiled lock, and a fingerprint."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING

from rpent.environments.distributions import foreign_requirements, linked_distributions
from rpent.environments.pytorch import FAMILY, is_torch_part
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rpent.specs import EnvironmentSpec

COMPILE_COMMAND = "python tools/compile_locks.py"


def all_requirements(spec: EnvironmentSpec, *distributions: str) -> list[str]:
    """Return what the environment must hold besides torch: its requirements, and those of the linked distributions."""
    linked = {item.name: item for name in distributions for item in linked_distributions(name)}
    return [*spec.requirements, *foreign_requirements(linked.values())]


def read_lock(spec: EnvironmentSpec) -> str | None:
    """Return the text of the lock that the distribution ships, or None when it ships none.

    Raises:
        EnvironmentSetupError: The lock that it names is not there.
    """
    if spec.lock is None:
        return None
    package, _, path = spec.lock.partition(":")
    try:
        return resources.files(package).joinpath(path).read_text(encoding="utf-8")
    except (ImportError, OSError) as error:
        raise EnvironmentSetupError(
            f"The lock `{spec.lock}` of the environment `{spec.name}` cannot be read.",
            hint="Install the distribution again.",
        ) from error


def fingerprint(spec: EnvironmentSpec) -> str:
    """Return a digest of what decides the environment's content; another one means: rebuild."""
    data = {
        "python": spec.python,
        "requirements": spec.requirements,
        **({"torch": spec.torch} if spec.torch else {}),
        "overrides": spec.overrides,
        "excludes": spec.excludes,
        "index_args": spec.index_args,
        "lock": read_lock(spec),
    }
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def requirement_files(
    spec: EnvironmentSpec, distributions: Sequence[str], folder: Path, *, with_torch: bool = False
) -> list[str]:
    """Write what uv needs to know into a folder and return uv's arguments that name the files.

    Args:
        spec: The environment.
        distributions: Those whose requirements it shall hold.
        folder: Where the files are written.
        with_torch: Resolve torch and what it requires too, whatever version others ask for; else nobody's wish for it
            counts, because it was installed before.
    """
    lines = {"requirements": all_requirements(spec, *distributions), "overrides": [*spec.overrides]}
    lines["excludes"] = [*spec.excludes]
    if spec.torch and with_torch:
        lines["requirements"] += spec.torch
        lines["overrides"] += spec.torch
    elif spec.torch:
        lines["excludes"] += FAMILY
    arguments = []
    for option, texts in ((option, dict.fromkeys(texts)) for option, texts in lines.items()):
        if texts:
            file = folder / f"{option}.in"
            file.write_text("\n".join(texts) + "\n", encoding="utf-8")
            arguments += ["-r" if option == "requirements" else f"--{option}", str(file)]
    return arguments


def compile_lock(
    spec: EnvironmentSpec, distributions: Sequence[str], output: Path, *, say: Callable[[str], None]
) -> None:
    """Resolve the requirements with uv and write the lock, for the platforms of the Python version asked for.

    torch is resolved too, so that the versions go together, and left out of what is written, with the parts of CUDA.

    Raises:
        EnvironmentSetupError: uv is missing, or the requirements cannot be resolved.
    """
    import tempfile  # noqa: PLC0415 (a maintainer's command)
    from pathlib import Path  # noqa: PLC0415

    from rpent.environments.uv import run_uv  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder) / "lock.txt"
        if output.exists():  # uv keeps the versions of a lock that it finds
            compiled.write_text(output.read_text(encoding="utf-8"), encoding="utf-8")
        wanted = requirement_files(spec, distributions, Path(folder), with_torch=True)
        files = [part for part in wanted if part != "-r"]
        arguments = ["pip", "compile", "--quiet", *files, "--output-file", str(compiled)]
        arguments += ["--python-version", spec.python, "--universal", "--generate-hashes", "--no-annotate"]
        arguments += ["--no-emit-index-url", "--custom-compile-command", COMPILE_COMMAND]
        run_uv([*arguments, *spec.index_args], say=say, without=("UV_FIND_LINKS", "UV_TORCH_BACKEND"))
        text = compiled.read_text(encoding="utf-8")
    output.write_text(without_torch(text) if spec.torch else text, encoding="utf-8")


def without_torch(lock: str) -> str:
    """Return a lock without PyTorch and the parts of its builds: their lines and the lines of their hashes."""
    kept, keeps = [], True
    for line in lock.splitlines():
        if not line.startswith(" "):
            keeps = line.startswith("#") or not is_torch_part(line.partition("==")[0])
        if keeps:
            kept.append(line)
    return "\n".join(kept) + "\n"


def constraints(lock: str) -> str:
    """Return the versions of a lock without their hashes, for use as uv's constraints."""
    lines = (line.removesuffix("\\").strip() for line in lock.splitlines() if not line.startswith((" ", "#")))
    return "\n".join(lines) + "\n"
