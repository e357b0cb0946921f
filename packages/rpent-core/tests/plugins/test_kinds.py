"""Hookspecs and kinds that a plugin adds: `smith` defines trainers, others bring some."""

import json

import pytest
from rpent.plugins import registry
from rpent.plugins.failure import BrokenPluginError

HOOKSPECS = """
    from dataclasses import dataclass

    from rpent.api import hookspec

    @dataclass(frozen=True)
    class TrainerSpec:
        name: str
        summary: str = "A trainer."

    class Hooks:
        @hookspec
        def rpent_trainers(self):
            "Trainers."

        @hookspec
        def rpent_training_finished(self, event):
            "A policy is trained."
    """
SMITH = """
    from rpent.api import HookspecSet, KindSpec, hookimpl

    PLUGIN_API = 1

    @hookimpl
    def rpent_add_hookspecs():
        trainers = KindSpec(name="trainers", hook="rpent_trainers", spec="smith_hookspecs:TrainerSpec")
        yield HookspecSet(hookspecs="smith_hookspecs:Hooks", kinds=(trainers,))
    """
TRAINER = """
    from rpent.api import hookimpl
    from smith_hookspecs import TrainerSpec

    PLUGIN_API = 1
    seen = []

    @hookimpl
    def rpent_trainers():
        yield TrainerSpec(name="ppo")

    @hookimpl
    def rpent_training_finished(event):
        seen.append(event)
    """


@pytest.fixture
def smith(plugin_site):
    """The plugin that others extend."""
    plugin_site.add(
        "rpent-smith",
        entry_points={"rpent.plugins": {"smith": "smith_plugin"}},
        modules={"smith_plugin.py": SMITH, "smith_hookspecs.py": HOOKSPECS},
    )


def add_trainer(plugin_site, group="rpent.trainers", source=TRAINER, name="ppo"):
    plugin_site.add(
        f"rpent-trainer-{name}", entry_points={group: {name: f"trainer_{name}"}},
        modules={f"trainer_{name}.py": source},
    )  # fmt: skip


def test_names_of_an_added_kind_come_from_metadata(plugin_site):
    add_trainer(plugin_site, source="raise AssertionError('imported')")
    assert registry.names("trainers") == ["ppo"]


def test_a_plugin_of_an_added_kind_is_loaded(smith, plugin_site):
    add_trainer(plugin_site)
    spec = registry.get("trainers", "ppo")
    assert (type(spec).__name__, spec.name) == ("TrainerSpec", "ppo")
    with pytest.raises(Exception, match="No trainer is named `pp`; did you mean `ppo`"):
        registry.get("trainers", "pp")


def test_without_the_plugin_that_adds_the_kind_it_is_broken(plugin_site):
    add_trainer(plugin_site, source="PLUGIN_API = 1")
    with pytest.raises(BrokenPluginError, match=r"no installed plugin says what `rpent\.trainers` are"):
        registry.get("trainers", "ppo")


def test_no_extension_is_imported_for_core_kinds(plugin_site):
    plugin_site.add(
        "rpent-smith",
        entry_points={"rpent.plugins": {"smith": "smith_plugin"}},
        modules={"smith_plugin.py": "raise AssertionError('imported')"},
    )
    plugin_site.add_robot("walker")
    assert registry.get("robots", "walker").name == "walker"


def test_a_module_of_another_kind_may_implement_an_added_hook(smith, plugin_site):
    plugin_site.add_robot(
        "walker",
        source=TRAINER
        + """
    from rpent.api import RobotSpec

    @hookimpl
    def rpent_robots():
        yield RobotSpec(name="walker", summary="s", robot="a:b", config="a:c")
    """,
    )
    assert registry.get("robots", "walker").name == "walker"


def test_observers_of_an_added_hook_are_called_whatever_the_order(smith, plugin_site):
    add_trainer(plugin_site, group="rpent.plugins", name="apprentice")  # sorted before `smith`
    registry.lifecycle("rpent_training_finished", "event")
    import trainer_apprentice

    assert trainer_apprentice.seen == ["event"]


def test_a_spec_of_the_wrong_type_is_refused(smith, plugin_site):
    add_trainer(plugin_site, source=TRAINER.replace('TrainerSpec(name="ppo")', '"ppo"'))
    with pytest.raises(BrokenPluginError, match="yields a `str`; `TrainerSpec` is expected"):
        registry.get("trainers", "ppo")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"trainers"', '"robots"'), "it adds `robots`, which somebody has defined before"),
        (('hook="rpent_trainers"', 'hook="rpent_t"'), "is collected by `rpent_t`, which"),
        (("smith_hookspecs:Hooks", "rpent.hookspecs:CollectHooks"), "which somebody has defined before"),
        (("smith_hookspecs:Hooks", "smith_hookspecs:Nothing"), "has no attribute `Nothing`"),
    ],
    ids=["kind", "no such hook", "hook", "no such set"],
)
def test_a_faulty_set_of_hookspecs_breaks_its_plugin_alone(plugin_site, change, reason):
    plugin_site.add(
        "rpent-smith",
        entry_points={"rpent.plugins": {"smith": "smith_plugin"}},
        modules={"smith_plugin.py": SMITH.replace(*change), "smith_hookspecs.py": HOOKSPECS},
    )
    plugin_site.add_robot("walker")
    with pytest.raises(BrokenPluginError) as raised:
        registry.get("plugins", "smith")
    assert reason in raised.value.failure.reason
    assert registry.get("robots", "walker").name == "walker"


def test_the_list_shows_them(smith, plugin_site, run_cli):
    add_trainer(plugin_site)
    rows = json.loads(run_cli("plugins", "list", "--kind", "trainers", "--json").stdout)["plugins"]
    assert [(row["status"], row["summary"]) for row in rows] == [("available", "A trainer.")]
    assert "rpent_trainers" in rows[0]["hooks"]
    assert "trainer ppo" in run_cli("plugins", "show", "ppo").stdout
