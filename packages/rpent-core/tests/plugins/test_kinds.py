"""Hookspecs and kinds that a plugin adds: `smith` defines judges, others bring some."""

import json

import pytest
from rpent.plugins import registry
from rpent.plugins.failure import BrokenPluginError

HOOKSPECS = """
    from dataclasses import dataclass

    from rpent.api import hookspec

    @dataclass(frozen=True)
    class JudgeSpec:
        name: str
        summary: str = "A judge."

    class Hooks:
        @hookspec
        def rpent_judges(self):
            "Judges."

        @hookspec
        def rpent_judged(self, event):
            "Somebody was judged."
    """
SMITH = """
    from rpent.api import HookspecSet, KindSpec, hookimpl

    PLUGIN_API = 1

    @hookimpl
    def rpent_add_hookspecs():
        judges = KindSpec(name="judges", hook="rpent_judges", spec="smith_hookspecs:JudgeSpec")
        yield HookspecSet(hookspecs="smith_hookspecs:Hooks", kinds=(judges,))
    """
JUDGE = """
    from rpent.api import hookimpl
    from smith_hookspecs import JudgeSpec

    PLUGIN_API = 1
    seen = []

    @hookimpl
    def rpent_judges():
        yield JudgeSpec(name="strict")

    @hookimpl
    def rpent_judged(event):
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


def add_judge(plugin_site, group="rpent.judges", source=JUDGE, name="strict"):
    plugin_site.add(
        f"rpent-judge-{name}", entry_points={group: {name: f"judge_{name}"}},
        modules={f"judge_{name}.py": source},
    )  # fmt: skip


def test_names_of_an_added_kind_come_from_metadata(plugin_site):
    add_judge(plugin_site, source="raise AssertionError('imported')")
    assert registry.names("judges") == ["strict"]


def test_a_plugin_of_an_added_kind_is_loaded(smith, plugin_site):
    add_judge(plugin_site)
    spec = registry.get("judges", "strict")
    assert (type(spec).__name__, spec.name) == ("JudgeSpec", "strict")
    with pytest.raises(Exception, match="No judge is named `stric`; did you mean `strict`"):
        registry.get("judges", "stric")


def test_without_the_plugin_that_adds_the_kind_it_is_broken(plugin_site):
    add_judge(plugin_site, source="PLUGIN_API = 1")
    with pytest.raises(BrokenPluginError, match=r"no installed plugin says what `rpent\.judges` are"):
        registry.get("judges", "strict")


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
        source=JUDGE
        + """
    from rpent.api import RobotSpec

    @hookimpl
    def rpent_robots():
        yield RobotSpec(name="walker", summary="s", robot="a:b", config="a:c")
    """,
    )
    assert registry.get("robots", "walker").name == "walker"


def test_observers_of_an_added_hook_are_called_whatever_the_order(smith, plugin_site):
    add_judge(plugin_site, group="rpent.plugins", name="apprentice")  # sorted before `smith`
    registry.lifecycle("rpent_judged", "event")
    import judge_apprentice

    assert judge_apprentice.seen == ["event"]


def test_a_spec_of_the_wrong_type_is_refused(smith, plugin_site):
    add_judge(plugin_site, source=JUDGE.replace('JudgeSpec(name="strict")', '"strict"'))
    with pytest.raises(BrokenPluginError, match="yields a `str`; `JudgeSpec` is expected"):
        registry.get("judges", "strict")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"judges"', '"robots"'), "it adds `robots`, which somebody has defined before"),
        (('hook="rpent_judges"', 'hook="rpent_t"'), "is collected by `rpent_t`, which"),
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
    add_judge(plugin_site)
    rows = json.loads(run_cli("plugins", "list", "--kind", "judges", "--json").stdout)["plugins"]
    assert [(row["status"], row["summary"]) for row in rows] == [("available", "A judge.")]
    assert "rpent_judges" in rows[0]["hooks"]
    assert "judge strict" in run_cli("plugins", "show", "strict").stdout


ENVIRONMENT_SPEC = """
    from rpent.api import EnvironmentSpec

    @dataclass(frozen=True)
    class JudgeSpec:
        name: str
        summary: str = "A judge."
        environments: tuple = (EnvironmentSpec(name="courtroom"), EnvironmentSpec(name="annex"))
    """


def test_its_environments_can_be_built(plugin_site, run_cli):
    plugin_site.add(
        "rpent-smith",
        entry_points={"rpent.plugins": {"smith": "smith_plugin"}},
        modules={"smith_plugin.py": SMITH, "smith_hookspecs.py": HOOKSPECS + ENVIRONMENT_SPEC},
    )
    add_judge(plugin_site)
    rows = json.loads(run_cli("env", "list", "--json").stdout)["environments"]
    declared = {row["name"]: (row["state"], row["distribution"]) for row in rows if row["distribution"]}
    assert declared["courtroom"] == declared["annex"] == ("not built", "rpent-judge-strict")
