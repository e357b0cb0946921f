from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent_robot_libero import catalog

PRO_SUITES = [
    f"libero_{name}_{variant}"
    for name in ("goal", "spatial", "10", "object")
    for variant in ("lan", "object", "swap", "task")
]


def test_instruction_comes_from_the_task_file_not_from_its_name():
    task = catalog.find_task("libero_object_task", 0)
    assert "cream cheese" in task.instruction
    assert "alphabet_soup" in task.name


@pytest.mark.parametrize("suite", [*catalog.STANDARD_SUITES, *PRO_SUITES])
def test_published_suites_are_complete(suite):
    members = catalog.tasks(suite)
    assert len(members) == (90 if suite == "libero_90" else 10)
    assert all(task.initial_states == 50 and task.instruction for task in members)


def test_seed_selects_an_initial_state():
    task = catalog.find_task("libero_goal", 3)
    assert [task.initial_state(seed) for seed in (0, 49, 50, 123)] == [0, 49, 0, 23]


@pytest.mark.parametrize(
    ("suite", "family"),
    [
        ("libero_object_swap", "libero_object"),
        ("libero_object", "libero_object"),
        ("libero_10_lan", "libero_10"),
        ("libero_goal_with_mug", "libero_goal"),
        ("libero_study_table", "libero_study_table"),
    ],
)
def test_family_is_the_original_suite(suite, family):
    assert catalog.find_task(suite, 0).family == family


def test_incomplete_suite_is_refused_by_name_with_those_that_work():
    with pytest.raises(UsageError, match="`libero_10_env` cannot be run: its distribution lacks") as caught:
        catalog.find_task("libero_10_env", 0)
    assert caught.value.hint is not None
    assert "libero_10_swap" in caught.value.hint


def test_unknown_suite_gets_a_suggestion():
    with pytest.raises(UsageError, match="Did you mean `libero_object_swap`"):
        catalog.find_task("libero_object_swp", 0)


@pytest.mark.parametrize("index", [-1, 10])
def test_task_out_of_range(index):
    with pytest.raises(UsageError, match="has 10 tasks") as caught:
        catalog.find_task("libero_goal", index)
    assert caught.value.hint == "Use `--task` 0 to 9."


def test_standard_type_refuses_pro_suites():
    assert set(catalog.suites("standard")) == set(catalog.STANDARD_SUITES)
    with pytest.raises(UsageError, match="not of the original LIBERO"):
        catalog.find_task("libero_goal_swap", 0, libero_type="standard")


@pytest.mark.sim
def test_catalogue_is_what_the_installed_benchmark_says():
    """Regenerate with `python tools/build_libero_catalog.py` when this fails."""
    pytest.importorskip("libero")
    from pathlib import Path

    from libero.libero import get_libero_path
    from libero.libero.benchmark.libero_suite_task_map import libero_task_map
    from rpent_robot_libero.server import scene

    for suite in catalog.suites():
        members = catalog.tasks(suite)
        assert [task.name for task in members] == list(libero_task_map[suite])
        for task in members:
            assert f"(:language {task.instruction}" in " ".join(
                Path(scene.task_file(task)).read_text(encoding="utf-8").split()
            )
    states = Path(get_libero_path("init_states"))
    assert (states / "libero_goal" / f"{catalog.find_task('libero_goal', 0).name}.pruned_init.npz").is_file()
