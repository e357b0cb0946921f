"""The suggested mapping, and what checks say of artefacts that are described by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from rpent.errors import UsageError
from rpent_robosmith.compatibility.compare import compare, compare_all
from rpent_robosmith.compatibility.names import similarity
from rpent_robosmith.compatibility.pair import Wishes
from rpent_robosmith.compatibility.suggest import suggest
from rpent_robosmith.inspect.api import ArtefactFacts, Feature
from rpent_robosmith.inspect.robots import inspect_robot


def camera(rows: int = 48, columns: int = 64, **more: Any) -> Feature:
    return Feature(kind="image", shape=(rows, columns, 3), dtype="uint8", **more)


def vector(size: int = 3, **more: Any) -> Feature:
    return Feature(kind="vector", shape=(size,), dtype="float32", **more)


def facts(
    kind: str, observation: dict[str, Feature], action: Feature | None = None, **more: Any
) -> ArtefactFacts:
    return ArtefactFacts(
        kind=kind,
        id=kind,
        format=more.pop("format", "hand"),
        observation=observation,
        action={"action": action or vector(2)},
        chunk_length=more.pop("chunk_length", 1),
        **more,
    )


def taken(policy: ArtefactFacts, target: ArtefactFacts, **wishes: Any) -> dict[str, list[str]]:
    found = suggest(policy, target, Wishes(**wishes))
    return {link.policy: [source.key for source in link.sources] for link in found.observation}


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("observation.images.top", "top", 0.95, 0.95),
        ("observation.images.wrist", "robot0_eye_in_hand_image", 0.9, 0.9),
        ("observation.images.front", "agentview_rgb", 0.9, 0.9),
        ("observation.state", "state", 0.95, 0.95),
        ("observation.state", "agent_pos", 0.9, 0.9),
        ("observation.images.left_wrist", "observation.images.right_wrist", 0.0, 0.55),
        ("top", "wrist", 0.0, 0.0),
    ],
)
def test_names_are_compared_without_what_formats_put_around_them(one, other, least, most):
    assert least <= similarity(one, other) <= most


def test_cameras_are_paired_and_extra_ones_are_no_fault():
    policy = facts("policy", {"observation.images.top": camera(), "observation.images.wrist": camera()})
    target = facts("dataset", {"wrist_rgb": camera(), "top": camera(), "side": camera(), "joint": vector()})
    assert taken(policy, target) == {
        "observation.images.top": ["top"],
        "observation.images.wrist": ["wrist_rgb"],
    }
    report = compare(policy, target)
    assert (report.compatible, report.mapping.unused) == (True, ("side", "joint"))
    assert {issue.check for issue in report.issues} == {"renamed"}


def test_an_input_with_the_statistics_of_another_is_the_same_array():
    known = {"mean": (0.5, 1.0, 2.0), "std": (1.0, 1.0, 3.0)}
    inputs = {"observation.environment_state": vector(**known), "observation.state": vector(**known)}
    policy = facts("policy", inputs)
    own = compare(policy, facts("dataset", {"observation.state": vector(**known)}))
    assert (own.compatible, {issue.check for issue in own.issues}) == (True, {"renamed"})
    assert [[source.key for source in link.sources] for link in own.mapping.observation] == [
        ["observation.state"],
        ["observation.state"],
    ]
    joined = facts("environment", {"b": vector(1), "a": vector(2)})
    assert taken(policy, joined) == {name: ["a", "b"] for name in inputs}
    links = {"observation.environment_state": ("b",)}
    assert taken(policy, facts("dataset", {"state": vector(), "b": vector()}), links=links) == {
        "observation.environment_state": ["b"],
        "observation.state": ["state"],
    }
    other = facts(
        "policy", {**inputs, "observation.environment_state": vector(mean=(9.0,) * 3, std=(1.0,) * 3)}
    )
    assert not compare(other, facts("dataset", {"observation.state": vector()})).compatible


def test_two_cameras_without_a_name_in_common_are_not_guessed():
    policy = facts("policy", {"image": camera(), "image2": camera()})
    target = facts("dataset", {"a_rgb": camera(), "b_rgb": camera()})
    report = compare(policy, target)
    missing = [issue for issue in report.issues if issue.check == "missing_camera"]
    assert [(issue.severity, issue.found) for issue in missing] == [("critical", ["a_rgb", "b_rgb"])] * 2
    assert compare(policy, target, Wishes(links={"image": ("b_rgb",), "image2": ("a_rgb",)})).compatible


def test_the_only_one_left_is_a_guess_and_said_to_be():
    report = compare(facts("policy", {"image": camera()}), facts("dataset", {"a_rgb": camera()}))
    (issue,) = report.issues
    assert (issue.check, issue.severity, issue.found) == ("guessed", "warning", ["a_rgb"])


def test_numbers_in_another_order_are_sorted_by_name():
    policy = facts("policy", {"state": vector(names=("x", "y", "z"))}, vector(2, names=("a", "b")))
    target = facts("dataset", {"state": vector(names=("z", "x", "y"))}, vector(2, names=("b", "a")))
    report = compare(policy, target)
    assert report.mapping.observation[0].order == (1, 2, 0)
    assert report.mapping.action.order == (1, 0)
    assert {(issue.check, issue.severity, issue.handled) for issue in report.issues} == {
        ("state_order", "warning", "wrapper"),
        ("action_order", "warning", "wrapper"),
    }


def test_units_are_converted_or_refused():
    policy = facts("policy", {"s": vector(2, units=("rad", "m"))}, vector(2, unit="rad"))
    target = facts("environment", {"s": vector(2, units=("deg", "mm"))}, vector(2, unit="deg"))
    report = compare(policy, target)
    assert report.mapping.observation[0].scale == pytest.approx((math.pi / 180, 0.001))
    assert report.mapping.action.scale == pytest.approx((180 / math.pi,) * 2)
    assert {issue.severity for issue in report.issues} == {"warning"}
    wrong = compare(policy, facts("environment", {"s": vector(2, unit="m")}, vector(2, unit="rad")))
    (issue,) = [each for each in wrong.issues if each.severity == "critical"]
    assert (issue.check, issue.expected, issue.found) == (
        "unit",
        {"index": [0], "unit": ["rad"]},
        {"index": [0], "unit": ["m"]},
    )


def test_one_array_is_joined_from_the_parts_of_a_dict():
    policy = facts("policy", {"observation": vector(5)}, bare=True)
    target = facts("environment", {"b": vector(3), "a": vector(2)})
    assert taken(policy, target) == {"observation": ["a", "b"]}


def test_bounds_are_stretched_only_when_that_is_asked_for():
    policy = facts("policy", {"s": vector()}, vector(1, low=(-1.0,), high=(1.0,)))
    target = facts("environment", {"s": vector()}, vector(1, low=(0.0,), high=(4.0,)))
    plain = compare(policy, target)
    (issue,) = plain.issues
    assert (issue.check, issue.severity, plain.mapping.action.scale) == ("action_range", "warning", ())
    asked = compare(policy, target, Wishes(repairs=frozenset({"rescale-actions"})))
    assert (asked.mapping.action.scale, asked.mapping.action.offset) == ((2.0,), (2.0,))
    assert (asked.issues, asked.mapping.repairs) == ((), ("rescale-actions",))


@pytest.mark.parametrize(("rate", "severity"), [(20.2, None), (25.0, "warning"), (45.0, "critical")])
def test_control_rates(rate, severity):
    policy = facts("policy", {"s": vector()}, control_rate_hz=rate)
    target = facts("environment", {"s": vector()}, control_rate_hz=20.0)
    found = [issue.severity for issue in compare(policy, target).issues if issue.check == "control_rate"]
    assert found == ([severity] if severity else [])


def test_long_chunks_are_told_in_seconds():
    policy = facts("policy", {"s": vector()}, chunk_length=100, execute_steps=100)
    target = facts("environment", {"s": vector()}, control_rate_hz=10.0, max_episode_steps=50)
    issues = {issue.check: issue for issue in compare(policy, target).issues}
    assert issues["chunk"].severity == "warning"
    assert issues["chunk"].found == {"control_rate_hz": 10.0, "seconds_between_looks": 10.0}
    assert (issues["chunk_too_long"].expected, issues["chunk_too_long"].found) == (100, 50)


def test_a_dataset_beside_an_environment_is_judged_mildly():
    dataset = facts("dataset", {"s": vector(3), "cam": camera()}, vector(4))
    report = compare(dataset, facts("environment", {"s": vector(2)}, vector(2)))
    assert {(issue.check, issue.severity) for issue in report.issues} == {
        ("observation_size", "warning"),
        ("missing_camera", "warning"),
        ("action_size", "warning"),
    }


def test_three_are_compared_each_with_each_in_any_order():
    policy, dataset, env = (facts(kind, {"s": vector()}) for kind in ("policy", "dataset", "environment"))
    pairs = [(each.policy_kind, each.target_kind) for each in compare_all([env, policy, dataset])]
    assert pairs == [("policy", "dataset"), ("policy", "environment"), ("dataset", "environment")]
    with pytest.raises(UsageError, match="one is a policy, and so is the other"):
        compare_all([policy, policy])


@pytest.mark.parametrize("links", [{"nothing": ("s",)}, {"s": ("nothing",)}])
def test_links_that_name_nothing_are_refused(links):
    policy, target = facts("policy", {"s": vector()}), facts("dataset", {"s": vector()})
    with pytest.raises(UsageError, match="nothing"):
        suggest(policy, target, Wishes(links=links))


def test_a_robots_layout_says_how_its_pictures_are_turned():
    pytest.importorskip("rpent_robot_libero")
    policy = facts(
        "policy",
        {
            "observation.images.image": camera(256, 256),
            "observation.images.image2": camera(256, 256),
            "observation.state": vector(8),
        },
        vector(7),
        chunk_length=10,
    )
    report = compare(policy, inspect_robot("libero"))
    assert report.compatible, report.issues
    assert report.mapping.layout is not None
    links = {link.policy: link for link in report.mapping.observation}
    assert [links[name].sources[0].key for name in list(links)[:2]] == ["agentview", "wrist"]
    assert {links[name].flip for name in list(links)[:2]} != {"none"}
    assert [source.convert for source in links["observation.state"].sources] == ["none", "axis_angle", "none"]
    assert sum(report.mapping.action.targets.values()) == 7
