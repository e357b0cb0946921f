"""Policies on disk: written atomically, read strictly, and nothing is unpickled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import PolicyError, clause

from rpent_robosmith.durable import write_durably
from rpent_robosmith.policy.format import (
    DESCRIPTION_FILE,
    SCHEMA_VERSION,
    WEIGHTS_FILE,
    PolicyDescription,
    PolicyParameters,
)
from rpent_robosmith.policy.shapes import FILE_NAME, MAX_FILES_BYTES, check_parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_DESCRIPTION_BYTES = 4 * 2**20
MAX_WEIGHTS_BYTES = 512 * 2**20


def write_policy(folder: str | Path, parameters: PolicyParameters) -> tuple[Path, Path]:
    """Write `policy.json` and `policy.safetensors`; the same policy gives the same bytes.

    The weights go first and the description last, each by renaming.

    Returns:
        The two files.

    Raises:
        PolicyError: Description and weights do not fit together, or the folder cannot be written.
    """
    from safetensors.numpy import save  # noqa: PLC0415

    check_parameters(parameters)
    folder = Path(folder)
    weights = {name: _contiguous(parameters.weights[name]) for name in sorted(parameters.weights)}
    description = json.dumps(parameters.description.plain(), indent=2, sort_keys=True, allow_nan=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if parameters.description.kind == "mlp":
            write_durably(folder / WEIGHTS_FILE, save(weights))
        else:
            for name, content in weights.items():
                write_durably(folder / name, content.tobytes())
        write_durably(folder / DESCRIPTION_FILE, (description + "\n").encode())
    except OSError as error:
        raise PolicyError(f"The policy cannot be written to `{folder}`: {clause(error)}.") from error
    return folder / DESCRIPTION_FILE, folder / WEIGHTS_FILE


def read_description(folder: str | Path) -> PolicyDescription:
    """Read what a policy takes and gives, without its weights.

    Raises:
        PolicyError: There is none, it is of another version, or it is damaged.
    """
    path = Path(folder) / DESCRIPTION_FILE
    data = _json(path)
    version = data.get("version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise PolicyError(
            f"`{path}` has the version {version!r}; this release reads version {SCHEMA_VERSION}."
        )
    try:
        return PolicyDescription.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PolicyError(f"`{path}` is damaged at `{where}`: {first['msg']}.") from error


def read_policy(folder: str | Path) -> PolicyParameters:
    """Read a policy, checked: its version, the names, shapes and dtypes of its weights, and that all are finite.

    Raises:
        PolicyError: It is missing, too large, of another version, or damaged.
    """
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.numpy import load  # noqa: PLC0415

    description = read_description(folder)
    if description.kind != "mlp":
        return _read_files(Path(folder), description)
    path = Path(folder) / WEIGHTS_FILE
    content = _content(path, MAX_WEIGHTS_BYTES)
    try:
        weights = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise PolicyError(f"`{path}` is no safetensors file: {clause(error)}.") from error
    parameters = PolicyParameters(description=description, weights=weights)
    check_parameters(parameters)
    return parameters


def policy_files(folder: str | Path) -> tuple[str, ...]:
    """Return the names of a policy's files, the description last.

    Raises:
        PolicyError: The folder holds no policy.
    """
    if read_description(folder).kind == "mlp":
        return (WEIGHTS_FILE, DESCRIPTION_FILE)
    return (*_checkpoint_files(Path(folder)), DESCRIPTION_FILE)


def _checkpoint_files(folder: Path) -> list[str]:
    names = (path.name for path in folder.iterdir() if path.is_file())
    return sorted(
        name for name in names if FILE_NAME.fullmatch(name) and name not in (WEIGHTS_FILE, DESCRIPTION_FILE)
    )


def _read_files(folder: Path, description: PolicyDescription) -> PolicyParameters:
    import numpy as np  # noqa: PLC0415

    files = {name: _content(folder / name, MAX_FILES_BYTES) for name in _checkpoint_files(folder)}
    weights: dict[str, NDArray[np.generic]] = {
        name: np.frombuffer(content, np.uint8) for name, content in files.items()
    }
    parameters = PolicyParameters(description=description, weights=weights)
    check_parameters(parameters)
    return parameters


def _json(path: Path) -> Any:
    try:
        return json.loads(_content(path, MAX_DESCRIPTION_BYTES))
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"`{path}` is no JSON: {clause(error)}.") from error


def _content(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise PolicyError(
            f"`{path}` cannot be read: {error.strerror}.",
            hint=f"A policy is a folder with `{DESCRIPTION_FILE}` and `{WEIGHTS_FILE}`.",
        ) from error
    if len(content) > limit:
        raise PolicyError(f"`{path}` is larger than {limit} bytes.")
    return content


def _contiguous(array: NDArray[np.generic]) -> NDArray[np.generic]:
    import numpy as np  # noqa: PLC0415

    return np.ascontiguousarray(array)
