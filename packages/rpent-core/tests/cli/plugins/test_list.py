import json

from rpent.errors import ExitCode

BROKEN = {
    "fails": ("raise RuntimeError('no good')", "broken", "it raised `RuntimeError`: no good"),
    "exits": ("import sys; sys.exit('bye')", "broken", "it ends the process when it is imported"),
    "old": ("PLUGIN_API = 0", "incompatible", "it is written for plugin interface 0"),
}


def add_broken(plugin_site):
    for name, (source, _, _) in BROKEN.items():
        plugin_site.add_robot(name, source=source)
    plugin_site.add_robot("modern", requires=["rpent-core>=99"])
    plugin_site.add_robot("walker")
    plugin_site.add_robot("walker", distribution="acme-walker")


def test_everything_is_listed_with_its_reason(plugin_site, run_cli):
    add_broken(plugin_site)
    result = run_cli("plugins", "list", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["schema"] == 1
    robots = {row["qualified_name"]: row for row in found["plugins"] if row["kind"] == "robots"}
    for name, (_, status, reason) in BROKEN.items():
        row = robots[f"rpent-robot-{name}:{name}"]
        assert row["status"] == status
        assert reason in row["error"]["reason"]
    assert robots["rpent-robot-modern:modern"]["status"] == "incompatible"
    assert robots["acme-walker:walker"]["status"] == "conflict"
    assert robots["rpent-robot-walker:walker"]["status"] == "available"
    assert robots["rpent-robot-walker:walker"]["summary"] == "The robot walker."


def test_the_table_says_the_same(plugin_site, run_cli):
    add_broken(plugin_site)
    text = run_cli("plugins", "list").stdout
    assert "it raised `RuntimeError`: no good" in text
    assert "pip install --upgrade rpent-core rpent-robot-modern" in text
    assert "taken by `rpent-robot-walker:walker`" in text


def test_strict_mode_does_not_stop_the_list(plugin_site, run_cli, monkeypatch):
    monkeypatch.setenv("RPENT_STRICT_PLUGINS", "1")
    add_broken(plugin_site)
    assert run_cli("plugins", "list").exit_code == 0


def test_without_loading_nothing_is_imported(plugin_site, run_cli, tmp_path):
    mark = tmp_path / "imported"
    plugin_site.add_robot("spy", source=f"open({str(mark)!r}, 'w')")
    assert "unloaded" in run_cli("plugins", "list", "--no-load", "--kind", "robots").stdout
    assert not mark.exists()


def test_check_measures_and_strict_tells_by_the_exit_code(plugin_site, run_cli):
    plugin_site.add_robot("walker")
    assert " modules)" in run_cli("plugins", "list", "--check", "--kind", "robots").stdout
    plugin_site.add_robot("fails", source="1/0")
    assert run_cli("plugins", "list", "--strict", "--kind", "robots").exit_code == ExitCode.INFRASTRUCTURE


def test_blocked_ones_are_listed_as_disabled(plugin_site, run_cli):
    plugin_site.add_robot("walker", source="1/0")
    text = run_cli("--no-plugin", "walker", "plugins", "list", "--kind", "robots").stdout
    assert "disabled" in text
    assert "broken" not in text


def test_an_unknown_kind_is_refused(run_cli):
    result = run_cli("plugins", "list", "--kind", "robot")
    assert result.exit_code == ExitCode.USAGE
    assert "did you mean `robots`?" in result.stderr


def test_requirements_name_each_distribution_once(plugin_site, run_cli):
    plugin_site.add_robot("walker", source="raise AssertionError('imported')", version="2.1.0")
    plugin_site.add(
        "rpent-local", entry_points={"rpent.robots": {"one": "m", "two": "m"}}, modules={}, version="3"
    )
    (plugin_site.path / "rpent_local-3.dist-info" / "direct_url.json").write_text(
        '{"url": "file:///src/local", "dir_info": {"editable": true}}'
    )
    lines = run_cli("plugins", "list", "--format", "requirements", "--kind", "robots").stdout.splitlines()
    assert "rpent-robot-walker==2.1.0" in lines
    assert lines.count("-e /src/local") == 1
