"""What a resumed run is asked to do."""

import pytest
from rpent.run.changes import request_to_resume

PRICES = {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 5.0}
CONFIG = {"model": "openai:a", "base_url": "http://one", **PRICES}


def config_after(recorded, *processes, **changes):
    request = {"robot": "r", "planner": "api", "planner_config": recorded}
    resumed = request_to_resume({"request": request, "processes": list(processes)}, **changes)
    return resumed.planner, dict(resumed.planner_config)


@pytest.mark.parametrize(
    ("changes", "planner", "config"),
    [
        ({}, "api", CONFIG),
        ({"planner": "api"}, "api", CONFIG),
        ({"planner_config": {"base_url": None}}, "api", {**CONFIG, "base_url": None}),
        ({"planner_config": {"model": "openai:a"}}, "api", CONFIG),
        ({"planner_config": {"model": "b"}}, "api", {"model": "b", "base_url": "http://one"}),
        (
            {"planner_config": {"model": "b", "input_usd_per_mtok": 2.0}},
            "api",
            {"model": "b", "base_url": "http://one", "input_usd_per_mtok": 2.0},
        ),
        ({"planner": "flash"}, "flash", {}),
        ({"planner": "flash", "planner_config": {"recipe": "r"}}, "flash", {"recipe": "r"}),
    ],
)
def test_what_is_given_is_merged_over_what_was_used(changes, planner, config):
    assert config_after(CONFIG, **changes) == (planner, config)


def test_the_last_process_counts():
    later = {"request": {"planner": "flash", "planner_config": {"recipe": "r"}}}
    assert config_after(CONFIG, {"pid": 1}, later) == ("flash", {"recipe": "r"})
    assert config_after(CONFIG, later, planner="api") == ("api", {})
