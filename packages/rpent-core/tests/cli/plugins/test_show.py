import json

from rpent.errors import ExitCode


def test_shows_origin_and_options(plugin_site, run_cli):
    plugin_site.add_robot("walker")
    text = run_cli("plugins", "show", "walker").stdout
    assert "rpent-robot-walker 1.0.0" in text
    assert "--speed-m-s" in text


def test_shows_what_is_wrong(plugin_site, run_cli):
    plugin_site.add_robot("fails", source="raise RuntimeError('no good')")
    result = run_cli("plugins", "show", "fails")
    assert result.exit_code == 0
    assert "it raised `RuntimeError`: no good (phase: import)" in result.stdout
    assert "Traceback" not in result.stdout
    assert "Traceback" in run_cli("--verbose", "plugins", "show", "fails").stdout


def test_json(plugin_site, run_cli):
    plugin_site.add_robot("walker")
    (row,) = json.loads(run_cli("plugins", "show", "rpent-robot-walker", "--json").stdout)["plugins"]
    assert row["status"] == "available"


def test_an_unknown_name_is_refused(plugin_site, run_cli):
    plugin_site.add_robot("walker")
    result = run_cli("plugins", "show", "walkr")
    assert result.exit_code == ExitCode.USAGE
    assert "did you mean `walker`?" in result.stderr
