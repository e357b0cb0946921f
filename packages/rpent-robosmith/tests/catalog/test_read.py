"""Catalogs are checked: every mistake is one sentence that says where."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.read import parse_catalog

ENTRY = """
  - id: toy
    name: Toy
    adapter: gymnasium
    env_id: Toy-v0
    robot: toy
    tags: [toy]
    description: A toy.
    success: {signal: is_success}
    progress: return
"""
HEAD = "version: 1\nenvironments:"


def test_a_catalog_is_read():
    (entry,) = parse_catalog(HEAD + ENTRY, "my.yaml")
    assert entry.id == "toy"
    assert entry.metrics == ("success_rate", "mean_return", "mean_length", "error_rate")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + ENTRY + ENTRY, "has the id `toy` twice"),
        (
            HEAD + ENTRY.replace("    name: Toy\n", ""),
            "The entry `toy` of the catalog `my.yaml` is not valid: `name`",
        ),
        (HEAD + ENTRY + "    speed: 3\n", "`speed`: Extra inputs are not permitted"),
        (HEAD + ENTRY + "    name: Again\n", "the key `name` is given twice"),
        (HEAD + ENTRY.replace("id: toy", "id: ../toy"), "`id`"),
        (HEAD + ENTRY.replace("progress: return", "progress: speed"), "names the measure `speed`"),
        (
            HEAD + ENTRY.replace("{signal: is_success}", "{measure: speed, at_least: 1}"),
            "names the measure `speed`",
        ),
        (HEAD + ENTRY.replace("{signal: is_success}", "{}"), "either a `signal` or a `measure`"),
        (HEAD.replace("1", "2") + ENTRY, "has version `2`"),
        ("environments: []", "must have the keys"),
        ("- 1", "must have the keys"),
        (HEAD + " 7", "must be a list"),
        (HEAD + "\n  - 7\n", "The entry `0`"),
        ("a: [", "no readable YAML"),
        (HEAD + " !!python/object/apply:os.system [ls]", "no readable YAML"),
    ],
)
def test_a_mistake_is_one_sentence(text, said):
    with pytest.raises(UsageError) as caught:
        parse_catalog(text, "my.yaml")
    assert said in caught.value.message
    assert "\n" not in caught.value.message
