"""The how-to's seesaw, word for word: it builds on what its files say, is found, and is judged by its own measure."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from rpent.errors import UsageError
from rpent.plugins import registry
from rpent_robosmith.catalog.load import find
from rpent_robosmith.worker import making
from rpent_robosmith.worker.jobs.inspect import inspect

HOW_TO = Path(__file__).parents[4] / "docs" / "how-to" / "add-to-the-workshop.md"


@pytest.fixture
def files() -> dict[str, str]:
    blocks = re.findall(r"```\w+\n# ([\w./]+)[^\n]*\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    return dict(blocks)


def test_the_seesaw_of_the_how_to_works(files, plugin_site):
    project = tomllib.loads(files.pop("pyproject.toml"))
    assert {"name", "version"} <= set(project["project"])
    plugin_site.add("rpent-seesaws", entry_points=project["project"]["entry-points"], modules=files)
    registry.current.cache_clear()
    making.adapter_of.cache_clear()
    try:
        entry = find("seesaw")
        facts, problem, _ = inspect(entry)
        for change in ({"env_id": "Swing"}, {"kwargs": {"no_such_argument": 1}}):
            with pytest.raises(UsageError):
                making.make_env(entry.model_copy(update=change))
    finally:
        making.adapter_of.cache_clear()

    assert problem == ""
    assert facts.notes == ()
    assert facts.deterministic
    assert [number.name for number in facts.observation_numbers[""]] == ["tilt", "speed"]
    assert [number.name for number in facts.action_numbers] == ["torque"]
    assert facts.max_episode_steps == 100
