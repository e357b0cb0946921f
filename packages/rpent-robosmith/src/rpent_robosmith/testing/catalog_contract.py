"""The contract of a catalog: every entry is complete, is really made and stepped, and is found by what it says."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

from rpent.plugins import registry

from rpent_robosmith.catalog.load import catalogs
from rpent_robosmith.catalog.read import parse_catalog
from rpent_robosmith.catalog.search import THRESHOLD, Query, search
from rpent_robosmith.task import METRICS
from rpent_robosmith.training.choice import algorithms
from rpent_robosmith.worker.jobs.inspect import inspect

if TYPE_CHECKING:
    import pytest

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts


def entries_of(path: str) -> tuple[EnvEntry, ...]:
    """Return the entries of a catalog that is package data: `package:data/catalog.yaml`.

    Raises:
        UsageError: It is not valid.
    """
    package, _, name = path.partition(":")
    return parse_catalog(files(package).joinpath(name).read_text(encoding="utf-8"), path)


class CatalogContract:
    """The tests of any catalog. Subclass it, and name the file.

    Example::

        class TestMyCatalog(CatalogContract):
            path = "my_envs:data/catalog.yaml"
    """

    path: ClassVar[str]
    """As of `EnvCatalogSpec`."""
    deterministic: ClassVar[bool] = True
    """Whether every environment gives the same episode for the same seed, bit for bit."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run a test that takes an `entry` for each."""
        if "entry" in metafunc.fixturenames:
            found = entries_of(type(self).path)
            metafunc.parametrize("entry", found, ids=[entry.id for entry in found])

    def inspect(self, entry: EnvEntry) -> tuple[EnvFacts, str]:
        """Return the facts of an environment, and why its success cannot be judged; overridden to use a worker."""
        facts, problem, _ = inspect(entry)
        return facts, problem

    def test_it_is_installed_whole(self) -> None:
        """Nothing of it is left out: no id is another catalog's."""
        mine = next(catalog for catalog in catalogs() if self.path in _path(catalog.name))
        assert mine.failures == ()
        assert [entry.id for entry in mine.entries] == [entry.id for entry in entries_of(self.path)]

    def test_an_entry_says_what_it_is(self, entry: EnvEntry) -> None:
        """Adapter, description, tags, source and training are those that there are."""
        assert entry.adapter in registry.names("env_adapters")
        assert entry.description.endswith(".")
        assert entry.tags
        assert entry.source
        assert entry.max_episode_steps is not None
        assert set(METRICS) < set(entry.metrics) or not entry.measures
        if entry.training is not None:
            assert entry.training.algorithm in algorithms()

    def test_an_entry_is_found_by_its_tags(self, entry: EnvEntry) -> None:
        """Its own tags reach the threshold."""
        known = [each for catalog in catalogs() for each in catalog.entries]
        found = {each.entry.id: each.score for each in search(Query(words=entry.tags), known)}
        assert found[entry.id] >= THRESHOLD
        assert found[entry.id] == max(found.values())

    def test_an_entry_is_made_and_stepped(self, entry: EnvEntry) -> None:
        """It is what it says: its success can be judged, its numbers have names, its seeds hold."""
        facts, problem = self.inspect(entry)
        assert problem == ""
        assert facts.notes == ()
        assert facts.max_episode_steps == entry.max_episode_steps
        assert facts.deterministic or not self.deterministic
        assert len(facts.action_numbers) == (1 if facts.action.kind == "discrete" else facts.action.size)
        for part, numbers in facts.observation_numbers.items():
            assert len(numbers) == (facts.observation.parts[part] if part else facts.observation).size


def _path(name: str) -> str:
    return str(registry.get("env_catalogs", name).path)
