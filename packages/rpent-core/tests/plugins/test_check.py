import pytest
from rpent.plugins import registry
from rpent.plugins.check import check


@pytest.fixture
def statuses():
    def load(**options):
        records = [record for record in registry.records() if record.kind == "robots"]
        return {record.name: record for record in check(records, **options)}

    return load


def test_one_that_kills_the_process_does_not_hide_the_others(plugin_site, statuses):
    plugin_site.add_robot("a")
    plugin_site.add_robot("b", source="import os; os._exit(7)")
    plugin_site.add_robot("c")
    found = statuses()
    assert {name: found[name].status for name in "abc"} == {"a": "available", "b": "broken", "c": "available"}
    assert "ends the process when it is imported (exit code 7)" in found["b"].error.reason
    assert "--no-plugin b" in found["b"].error.remedy


def test_one_that_hangs_is_given_up(plugin_site, statuses):
    plugin_site.add_robot("a")
    plugin_site.add_robot("b", source="import time; time.sleep(60)")
    plugin_site.add_robot("c")
    found = statuses(timeout_s=2.0)
    assert {name: found[name].status for name in "abc"} == {"a": "available", "b": "broken", "c": "available"}
    assert "longer than 2 s" in found["b"].error.reason


def test_prints_below_python_do_not_disturb(plugin_site, statuses):
    plugin_site.add_robot("a", source="import os; os.system('echo hello')\n1/0")
    assert statuses()["a"].error.reason == "it raised `ZeroDivisionError`: division by zero"


def test_alone_measures_each_plugin(plugin_site, statuses):
    plugin_site.add_robot("a")
    record = statuses(alone=True)["a"]
    assert record.modules_added > 0
    assert record.import_ms > 0
    assert record.hooks == ("rpent_robots",)
    assert record.summary == "The robot a."
