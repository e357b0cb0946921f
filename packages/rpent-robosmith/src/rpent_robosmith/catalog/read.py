"""From a catalog's YAML to checked entries. The file is data: nothing in it is imported or evaluated.

A catalog is a list, and every field is checked::

    version: 1
    environments:
      - id: my-arm-reach
        name: My arm, reaching
        adapter: gymnasium
        ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError
from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import EnvEntry

if TYPE_CHECKING:
    from collections.abc import Hashable

VERSION = 1


class _StrictLoader(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses what YAML would drop in silence: a key that is given twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping of a node.

        Raises:
            yaml.constructor.ConstructorError: A key is there twice.
        """
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key `{key.value}` is given twice", key.start_mark
                )
            seen.add(str(key.value))
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def parse_yaml(text: str, source: str) -> Any:
    """Return the plain data of a YAML text.

    Raises:
        UsageError: It is no YAML, or has a key twice.
    """
    try:
        return yaml.load(text, _StrictLoader)  # noqa: S506  (a safe loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"`{source}` is no readable YAML: {reason}.") from error


def parse_catalog(text: str, source: str) -> tuple[EnvEntry, ...]:
    """Return the entries of a catalog's text, in its order.

    Raises:
        UsageError: It is no catalog, an entry is not valid, or an id is there twice.
    """
    document = parse_yaml(text, source)
    if not isinstance(document, dict) or document.keys() != {"version", "environments"}:
        raise UsageError(
            f"The catalog `{source}` must have the keys `version` and `environments`, and no others."
        )
    if document["version"] != VERSION:
        raise UsageError(
            f"The catalog `{source}` has version `{document['version']}`; version {VERSION} is read here."
        )
    if not isinstance(document["environments"], list):
        raise UsageError(f"`environments` of the catalog `{source}` must be a list.")
    entries = tuple(_entry(data, number, source) for number, data in enumerate(document["environments"]))
    seen: set[str] = set()
    for entry in entries:
        if entry.id in seen:
            raise UsageError(f"The catalog `{source}` has the id `{entry.id}` twice.")
        seen.add(entry.id)
    return entries


def _entry(data: Any, number: int, source: str) -> EnvEntry:
    try:
        return EnvEntry.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        name = data.get("id", number) if isinstance(data, dict) else number
        where = ".".join(str(part) for part in first["loc"]) or "entry"
        message = str(first["msg"]).removeprefix("Value error, ")
        raise UsageError(
            f"The entry `{name}` of the catalog `{source}` is not valid: `{where}`: {message}."
        ) from error
