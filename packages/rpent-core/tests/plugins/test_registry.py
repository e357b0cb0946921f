import json
import sys
from importlib.util import spec_from_file_location

import pytest
from rpent.errors import ExitCode
from rpent.plugins import registry
from rpent.plugins.failure import BrokenPluginError, UnknownPluginError
from rpent.specs import RobotSpec, RunStartedEvent

EVENT = RunStartedEvent(run_dir="/r", robot="a", planner="b", task="c")


def test_names_come_from_metadata_alone(plugin_site):
    plugin_site.add_robot("torchy", source="raise RuntimeError('a plugin was imported to list names')")
    assert "torchy" in registry.names("robots")


def test_get_loads_exactly_the_plugin_that_was_asked_for(plugin_site):
    plugin_site.add_robot("good")
    plugin_site.add_robot("bad", source="raise RuntimeError('broken')")
    spec = registry.get("robots", "good")
    assert isinstance(spec, RobotSpec)
    assert spec.name == "good"


def test_unknown_name_suggests_the_closest(plugin_site):
    plugin_site.add_robot("walker")
    with pytest.raises(UnknownPluginError) as raised:
        registry.get("robots", "waker")
    assert "did you mean `walker`?" in raised.value.message
    assert "rpent-robot-waker" not in raised.value.hint
    assert raised.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("source", "phase", "reason"),
    [
        ("import no_such_module", "import", "it needs the module `no_such_module`, which is not installed."),
        ("raise ValueError('out of order')", "import", "it raised `ValueError`: out of order"),
        ("import sys; sys.exit(4)", "import", "it ends the process when it is imported (`sys.exit(4)`)."),
        ("def broken(:", "import", "it raised `SyntaxError`"),
        ("x = 1", "plugin api", "states no `PLUGIN_API`"),
        ("PLUGIN_API = 99", "plugin api", "it is written for plugin interface 99"),
        ("PLUGIN_API = 1", "collect", "yields nothing"),
        (
            "from rpent.api import hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_nonsense(): pass",
            "hooks",
            "a hook is not one of this core's",
        ),
        (
            "from rpent.api import hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_robots(): return ['x']",
            "collect",
            "yields a `str`; `RobotSpec` is expected",
        ),
        (
            "from rpent.api import hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_robots(): 1/0",
            "collect",
            "it raised `ZeroDivisionError`",
        ),
        (
            "from rpent.api import RobotSpec, hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_robots():\n"
            "    yield RobotSpec(name='other', summary='s', robot='a:b', config='a:c')",
            "collect",
            "the entry point is named `faulty`, but `rpent_robots` yields `other`",
        ),
    ],
)
def test_a_faulty_plugin_becomes_a_failure(plugin_site, source, phase, reason):
    plugin_site.add_robot("faulty", source=source)
    plugin_site.add_robot("fine")
    with pytest.raises(BrokenPluginError) as raised:
        registry.get("robots", "faulty")
    assert raised.value.failure.phase == phase
    assert reason in raised.value.failure.reason
    assert raised.value.failure.distribution == "rpent-robot-faulty"
    assert registry.get("robots", "fine").name == "fine"


def test_a_faulty_hook_leaves_nothing_registered(plugin_site):
    plugin_site.add_robot(
        "faulty",
        source="from rpent.api import hookimpl\nPLUGIN_API = 1\n@hookimpl\ndef rpent_nonsense(): pass",
    )
    with pytest.raises(BrokenPluginError):
        registry.get("robots", "faulty")
    assert registry.current().loader.manager.get_plugins() == set()


def test_a_newer_core_is_asked_for_before_anything_is_imported(plugin_site):
    plugin_site.add_robot(
        "modern", source="raise AssertionError('imported')", requires=["rpent-core>=99,<100"]
    )
    with pytest.raises(BrokenPluginError) as raised:
        registry.get("robots", "modern")
    assert raised.value.failure.phase == "core version"
    assert "rpent-core<100,>=99" in raised.value.message
    assert raised.value.hint == "pip install --upgrade rpent-core rpent-robot-modern"


def test_a_misspelt_module_of_a_local_folder_is_not_looked_for_on_an_index(plugin_site):
    plugin_site.add("rpent-robot-near", entry_points={"rpent.robots": {"near": "nera"}}, modules={})
    info = next(plugin_site.path.glob("*.dist-info"))
    direct = {"url": "file:///src/near", "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(direct))
    with pytest.raises(BrokenPluginError) as raised:
        registry.get("robots", "near")
    assert "/src/near/pyproject.toml" in raised.value.hint
    assert raised.value.hint.endswith("pip install --no-deps --editable /src/near")


def test_a_module_that_only_a_finder_knows_is_found(plugin_site, tmp_path, monkeypatch):
    """Editable installs of setuptools put a finder in place of a folder on `sys.path`."""
    plugin_site.add_robot("edited")
    (plugin_site.path / "rpent_robot_edited.py").rename(tmp_path / "rpent_robot_edited.py")

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            file = tmp_path / f"{name}.py"
            return spec_from_file_location(name, file) if file.is_file() else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert registry.get("robots", "edited").name == "edited"


def test_unknown_name_without_a_likeness_names_the_distribution(plugin_site):
    with pytest.raises(UnknownPluginError) as raised:
        registry.get("robots", "zebra")
    assert "`rpent-robot-zebra`" in raised.value.hint


def test_strict_mode_raises(plugin_site, monkeypatch):
    monkeypatch.setenv("RPENT_STRICT_PLUGINS", "1")
    plugin_site.add_robot("faulty", source="raise ValueError('out of order')")
    with pytest.raises(ValueError, match="out of order"):
        registry.get("robots", "faulty")


def test_what_a_plugin_prints_is_kept_from_stdout(plugin_site, capsys):
    hook = "@hookimpl\ndef rpent_robots():\n    print('and again')\n    return ()"
    source = f"from rpent.api import hookimpl\nprint('hello')\nPLUGIN_API = 1\n{hook}"
    plugin_site.add_robot("noisy", source=source)
    with pytest.raises(BrokenPluginError):
        registry.get("robots", "noisy")
    assert capsys.readouterr().out == ""
    assert registry.current().loader.output["rpent_robot_noisy"] == "hello\nand again\n"


class TestDamagedInstallations:
    def test_an_entry_point_that_is_no_module_name(self, plugin_site):
        plugin_site.add("rpent-robot-odd", entry_points={"rpent.robots": {"odd": "!! no module"}}, modules={})
        assert "odd" in registry.names("robots")
        with pytest.raises(BrokenPluginError, match="entry point `!! no module` is not a module name"):
            registry.get("robots", "odd")

    def test_a_file_of_entry_points_that_cannot_be_read(self, plugin_site):
        plugin_site.add_robot("walker")
        plugin_site.add("stranger", entry_points={}, modules={})
        (plugin_site.path / "stranger-1.0.0.dist-info" / "entry_points.txt").write_text(
            "[console_scripts]\nno equals\n"
        )
        assert registry.get("robots", "walker").name == "walker"

    def test_a_distribution_without_metadata(self, plugin_site):
        plugin_site.add_robot("walker")
        (plugin_site.path / "rpent_robot_walker-1.0.0.dist-info" / "METADATA").unlink()
        record = next(record for record in registry.records() if record.name == "walker")
        assert (record.distribution, record.version) == ("unknown", "unknown")


class TestTakenNames:
    def test_the_distribution_named_by_convention_keeps_its_name(self, plugin_site):
        plugin_site.add_robot("walker")
        plugin_site.add_robot("walker", distribution="acme-walker", source="raise AssertionError('imported')")
        assert registry.get("robots", "walker").robot == "rpent_robot_walker:Robot"
        records = {record.qualified_name: record for record in registry.records() if record.name == "walker"}
        assert records["acme-walker:walker"].status == "conflict"
        assert "taken by `rpent-robot-walker:walker`" in records["acme-walker:walker"].error.reason
        assert records["rpent-robot-walker:walker"].status == "unloaded"

    def test_strangers_are_told_apart_by_their_distribution(self, plugin_site):
        plugin_site.add_robot("crane", distribution="acme-crane")
        plugin_site.add_robot("crane", distribution="zeta-crane")
        with pytest.raises(UnknownPluginError) as raised:
            registry.get("robots", "crane")
        assert "`acme-crane:crane`, `zeta-crane:crane`" in raised.value.hint
        assert registry.get("robots", "zeta-crane:crane").robot == "zeta_crane:Robot"

    def test_core_keeps_its_own_names(self, plugin_site):
        plugin_site.add(
            "rpent-planner-replay",
            entry_points={"rpent.planners": {"replay": "thief"}},
            modules={"thief.py": "raise AssertionError('imported')"},
        )
        assert registry.get("planners", "replay").planner.startswith("rpent.")


class TestBlocking:
    @pytest.mark.parametrize("blocked", ["walker", "rpent-robot-walker", "rpent-robot-walker:walker", "*"])
    def test_a_blocked_plugin_is_not_imported(self, plugin_site, monkeypatch, blocked):
        plugin_site.add_robot("walker", source="raise AssertionError('imported')")
        monkeypatch.setenv("RPENT_DISABLE_PLUGINS", f"other, {blocked}")
        assert "walker" not in registry.names("robots")
        with pytest.raises(UnknownPluginError, match="is disabled"):
            registry.get("robots", "walker")
        assert {record.status for record in registry.records() if record.name == "walker"} == {"disabled"}

    def test_what_core_brings_cannot_be_blocked(self, plugin_environment, monkeypatch):
        monkeypatch.setenv("RPENT_DISABLE_PLUGINS", "*")
        assert registry.names("planners") == ["replay"]

    def test_blocking_one_of_two_frees_the_name(self, plugin_site, monkeypatch):
        plugin_site.add_robot("crane", distribution="acme-crane")
        plugin_site.add_robot("crane", distribution="zeta-crane")
        monkeypatch.setenv("RPENT_DISABLE_PLUGINS", "acme-crane")
        assert registry.get("robots", "crane").robot == "zeta_crane:Robot"


class TestLifecycle:
    OBSERVER = """
        from rpent.api import hookimpl
        PLUGIN_API = 1
        calls = []
        @hookimpl
        def rpent_run_started(event):
            calls.append(event)
            {then}
        """

    def observer(self, plugin_site, name, then="pass"):
        plugin_site.add(
            f"rpent-{name}",
            entry_points={"rpent.plugins": {name: name}},
            modules={f"{name}.py": self.OBSERVER.replace("{then}", then)},
        )

    def test_every_observer_is_called_though_one_raises(self, plugin_site, caplog):
        self.observer(plugin_site, "observer_a", then="raise RuntimeError('no disk')")
        self.observer(plugin_site, "observer_b")
        registry.lifecycle("rpent_run_started", EVENT)
        import observer_b

        assert observer_b.calls == [EVENT]
        assert "failed in `rpent_run_started`: no disk" in caplog.text

    def test_an_observer_that_keeps_failing_is_left_out(self, plugin_site):
        self.observer(plugin_site, "observer_c", then="raise RuntimeError('again')")
        for _ in range(5):
            registry.lifecycle("rpent_run_started", EVENT)
        import observer_c

        assert len(observer_c.calls) == 3

    def test_a_broken_observer_is_reported(self, plugin_site, caplog):
        plugin_site.add(
            "rpent-bad",
            entry_points={"rpent.plugins": {"bad": "bad_observer"}},
            modules={"bad_observer.py": "1/0"},
        )
        registry.lifecycle("rpent_run_started", EVENT)
        assert "Plugin `rpent-bad` was left out: it raised `ZeroDivisionError`" in caplog.text


class TestAllowList:
    def test_only_what_is_named_is_loaded(self, plugin_site, monkeypatch):
        plugin_site.add_robot("walker")
        plugin_site.add_robot("crane", source="raise AssertionError('imported')")
        monkeypatch.setenv("RPENT_LOAD_PLUGINS", "rpent-robot-walker")
        assert registry.names("robots") == ["walker"]
        assert registry.names("planners") == ["replay"]
        with pytest.raises(UnknownPluginError) as raised:
            registry.get("robots", "crane")
        assert raised.value.hint == "Add `crane` to `RPENT_LOAD_PLUGINS`, or unset it."

    def test_an_empty_one_allows_core_alone(self, plugin_site, monkeypatch):
        plugin_site.add_robot("walker")
        monkeypatch.setenv("RPENT_LOAD_PLUGINS", "")
        assert registry.names("robots") == []
        assert registry.names("planners") == ["replay"]


def test_the_users_file_is_where_platformdirs_has_it(monkeypatch, tmp_path):
    from platformdirs import user_config_path
    from rpent.plugins.blocking import FILE_NAME, file_path

    monkeypatch.delenv("RPENT_CONFIG_DIR", raising=False)
    for base in (None, str(tmp_path)):
        if base:
            monkeypatch.setenv("XDG_CONFIG_HOME", base)
        else:
            monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        assert file_path() == str(user_config_path("rpent") / FILE_NAME)
