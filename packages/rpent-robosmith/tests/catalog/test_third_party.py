"""A third party's adapter and catalog, really installed: used like ours, and broken ones break nothing."""

from __future__ import annotations

import json

import pytest
from rpent.errors import RpentError
from rpent.plugins import registry
from rpent_robosmith.catalog.load import catalogs, entries, find
from rpent_robosmith.worker import making

PLUGIN = """
    from rpent.hookspecs import hookimpl
    from rpent_robosmith.specs import EnvAdapterSpec, EnvCatalogSpec

    PLUGIN_API = 1

    @hookimpl
    def rpent_env_adapters():
        yield EnvAdapterSpec(name="seesaw", summary="Seesaws.", adapter="seesaw_envs:SeesawAdapter")

    @hookimpl
    def rpent_env_catalogs():
        yield EnvCatalogSpec(name="seesaws", summary="Seesaws.", path="seesaw_catalog:list.yaml")
    """
ENVS = """
    import gymnasium
    from rpent_robosmith.api import EnvAdapter

    class SeesawAdapter(EnvAdapter):
        def make(self, entry, *, render_mode=None):
            return gymnasium.make("CartPole-v1", max_episode_steps=entry.max_episode_steps)
    """
CATALOG = """
version: 1
environments:
  - id: seesaw
    name: Seesaw
    adapter: seesaw
    env_id: Seesaw
    robot: seesaw
    tags: [seesaw, tilt, playground]
    description: A seesaw is kept level.
    max_episode_steps: 30
    success: {measure: length, at_least: 30}
    progress: length
    training: {algorithm: ppo, total_steps: 1000}
    source: https://example.org
"""


@pytest.fixture
def seesaws(plugin_site):
    """Install the catalog with a text."""

    def install(text):
        plugin_site.add(
            "rpent-seesaws",
            entry_points={
                "rpent.env_adapters": {"seesaw": "seesaw_plugin"},
                "rpent.env_catalogs": {"seesaws": "seesaw_plugin"},
            },
            modules={
                "seesaw_plugin.py": PLUGIN,
                "seesaw_envs.py": ENVS,
                "seesaw_catalog/__init__.py": "",
                "seesaw_catalog/list.yaml": text,
            },
        )
        registry.current.cache_clear()
        making.adapter_of.cache_clear()

    yield install
    making.adapter_of.cache_clear()


def test_its_environment_is_found_and_made(seesaws, run_cli):
    seesaws(CATALOG)
    assert find("seesaw").adapter == "seesaw"
    env = making.make_env(find("seesaw"))
    assert making.max_episode_steps(env) == 30
    document = json.loads(run_cli("smith", "envs", "tilt the seesaw", "--json").stdout)
    assert document["environments"][0]["id"] == "seesaw"
    assert document["failures"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CATALOG.replace("robot: seesaw", "robots: seesaw"), "The entry `seesaw` of the catalog"),
        ("{", "no readable YAML"),
        (CATALOG.replace("id: seesaw", "id: pendulum"), "is that of `gymnasium` already"),
    ],
)
def test_a_broken_catalog_breaks_nothing_and_is_said(seesaws, run_cli, monkeypatch, text, said):
    seesaws(text)
    result = run_cli("smith", "envs")
    assert result.exit_code == 0
    assert said in result.stderr
    assert "cartpole" in result.stdout
    registry.current.cache_clear()
    assert entries()["pendulum"].adapter == "gymnasium"
    monkeypatch.setenv("RPENT_STRICT_PLUGINS", "1")
    with pytest.raises(RpentError, match=said):
        catalogs()
