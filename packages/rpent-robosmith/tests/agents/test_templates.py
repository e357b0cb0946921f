import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rpent_robosmith.agents.api import AgentContext, RewardRequest
from rpent_robosmith.agents.templates import TemplateRewards
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.measures import Measure, Quantity, Success
from rpent_robosmith.reports import RewardCandidate
from rpent_robosmith.rewards.signals import signals
from rpent_robosmith.rewards.templates import SHAPES, Plan, parse, write
from rpent_robosmith.task import Criterion, TaskSpec

VECTOR = SpaceFacts(kind="box", shape=(3,), low=(-1, -1, -8), high=(1, 1, 8), dtype="float32")
FREE = SpaceFacts(kind="box", shape=(3,), low=(-math.inf,) * 3, high=(math.inf,) * 3, dtype="float64")
TORQUE = SpaceFacts(kind="box", shape=(1,), low=(-2,), high=(2,), dtype="float32")


def entry(measures=None, success=None, progress="distance", **changes):
    return EnvEntry(
        id="toy",
        name="Toy",
        adapter="gymnasium",
        env_id="Toy-v0",
        robot="toy",
        tags=("toy",),
        description="Toy.",
        measures=measures
        if measures is not None
        else {"distance": Measure(quantity=Quantity(index=(0, 1)), map="norm", better="lower")},
        success=success or Success(measure="distance", at_most=0.1),
        progress=progress,
        **changes,
    )


def request(env, *, observation=VECTOR, action=TORQUE, count=4, iteration=1, earlier=(), feedback="", **task):
    facts = EnvFacts(
        entry="toy", env_id="Toy-v0", adapter="gymnasium", observation=observation, action=action
    )
    return RewardRequest(
        task=TaskSpec(sentence="toy", **task),
        entry=env,
        facts=facts,
        iteration=iteration,
        count=count,
        earlier=earlier,
        feedback=feedback,
    )


def proposals(*args, **kwargs):
    return TemplateRewards(AgentContext()).propose(request(*args, **kwargs))


def run(code, obs, action, next_obs, info=None):
    space = {}
    exec(code, space)
    return space["compute_reward"](obs, action, next_obs, {"env_reward": -7.0, **(info or {})})


def written(plan, env, **kwargs):
    """Return the code of a plan whose width is in the measure's own unit here."""
    asked = request(env, **kwargs)
    known = {signal.measure: signal.width for signal in signals(env, asked.facts)}
    scaled = replace(plan, width=plan.width / known.get(plan.measure, 1.0))
    return write(scaled, asked.task, env, asked.facts)


NEAR, FAR = np.array([0.03, 0.04, 0.0]), np.array([0.6, 0.8, 0.0])  # 0.05 and 1.0 away


@pytest.mark.parametrize(
    ("plan", "value"),
    [
        (Plan(shape="distance", measure="distance", width=0.5), -0.1),
        (Plan(shape="exponential", measure="distance", width=0.1), math.exp(-0.5)),
        (Plan(shape="distance", measure="distance", bonus=2.0), 1.95),
        (Plan(shape="tolerance", measure="distance", width=0.5, bonus=1.0), 0.99),
        (Plan(shape="potential", measure="distance"), 1.0 - 0.99 * 0.05),
        (Plan(shape="distance", measure="distance", own=0.5), -3.55),
        (Plan(shape="distance", measure="distance", action_cost=0.1), -0.05 - 0.4),
        (Plan(shape="environment"), -7.0),
        (Plan(shape="environment", action_cost=0.01), -7.04),
        (Plan(shape="alive", alive=1.0), 1.0),
        (Plan(shape="centred", alive=1.0), 1 - (0.03**2 + 0.04**2) / 3),
    ],
)
def test_a_plan_gives_the_reward_that_it_says(plan, value):
    total, components = run(written(plan, entry()), FAR, np.array([2.0]), NEAR)
    assert total == pytest.approx(value)
    assert type(total) is float
    assert sum(components.values()) == pytest.approx(total)


def test_several_measures_share_a_reward():
    angle = Measure(quantity=Quantity(index=(2,)), map="abs", better="lower")
    env = entry({"distance": entry().measures["distance"], "angle": angle})
    plan = Plan(shape="distance", measure="distance+angle", bonus=1.0)
    asked = request(env)
    widths = [signal.width for signal in signals(env, asked.facts)]
    code = write(plan, asked.task, env, asked.facts)
    _, components = run(code, FAR, np.zeros(1), np.array([3.0, 4.0, -2.0]))
    assert components == pytest.approx(
        {"distance": -5 / widths[0] / 2, "angle": -2 / widths[1] / 2, "near": 0}
    )
    assert run(code, FAR, np.zeros(1), NEAR)[1]["near"] == 1.0
    with pytest.raises(ValueError, match="has no measure `speed`"):
        write(replace(plan, measure="distance+speed"), asked.task, env, asked.facts)


def test_success_of_the_environment_itself():
    env = entry(success=Success(signal="is_success"))
    code = written(Plan(shape="signal", success=2.0), env)
    assert run(code, FAR, np.array([0.0]), NEAR, {"is_success": True})[0] == 2.0
    assert run(code, FAR, np.array([0.0]), NEAR, {"is_success": 0.0})[0] == 0.0


def test_goals_of_dict_observations():
    goal = SpaceFacts(kind="box", shape=(2,), low=(-math.inf,) * 2, high=(math.inf,) * 2)
    observation = SpaceFacts(kind="dict", parts={"achieved_goal": goal, "desired_goal": goal})
    measure = Measure(
        quantity=Quantity(key="achieved_goal"), minus=Quantity(key="desired_goal"), map="norm", better="lower"
    )
    env = entry({"distance": measure}, Success(signal="is_success"))
    code = written(Plan(shape="distance", measure="distance"), env, observation=observation)
    seen = {"achieved_goal": np.array([3.0, 0.0]), "desired_goal": np.array([0.0, 4.0])}
    assert run(code, seen, np.zeros(1), seen)[0] == -5.0


@pytest.mark.parametrize(
    ("measure", "success", "observed", "value"),
    [  # a fraction's own bounds: outside them is an error
        (
            Measure(quantity=Quantity(index=(0,)), at_least=0.95, reduce="fraction"),
            Success(measure="x", at_least=1.0),
            0.5,
            -0.45,
        ),
        # success wants at least 3, and 1 is 2 short
        (
            Measure(quantity=Quantity(index=(0,)), reduce="mean"),
            Success(measure="x", at_least=3.0),
            1.0,
            -2.0,
        ),
        (Measure(quantity=Quantity(index=(0,)), reduce="mean"), Success(measure="x", at_least=3.0), 5.0, 0.0),
        (
            Measure(quantity=Quantity(index=(0,)), map="degrees", reduce="last"),
            Success(measure="x", at_most=90.0),
            math.pi,
            -90.0,
        ),
    ],
)
def test_bounds_become_errors(measure, success, observed, value):
    code = written(Plan(shape="distance", measure="x"), entry({"x": measure}, success, "x"))
    assert run(code, FAR, np.zeros(1), np.array([observed, 0, 0]))[0] == pytest.approx(value)


def test_what_should_be_low_and_may_be_negative_is_a_gain_turned():
    env = entry({"x": Measure(quantity=Quantity(index=(0,)), better="lower")}, Success(signal="ok"), "x")
    assert run(written(Plan(shape="gain", measure="x"), env), FAR, 0, np.array([3.0, 0, 0]))[0] == -3.0


def test_info_and_action_are_read_where_a_measure_says_so():
    measures = {
        "speed": Measure(quantity=Quantity(of="info", key="x_velocity"), reduce="mean"),
        "effort": Measure(quantity=Quantity(of="action"), map="norm", reduce="mean", better="lower"),
    }
    env = entry(measures, Success(measure="speed", at_least=1.0), "speed")
    speed = written(Plan(shape="distance", measure="speed"), env)
    assert run(speed, FAR, np.array([2.0]), NEAR, {"x_velocity": 0.25})[0] == -0.75
    assert run(written(Plan(shape="distance", measure="effort"), env), FAR, np.array([2.0]), NEAR)[0] == -2.0


def test_safety_limits_cost_what_exceeds_them():
    env = entry()
    limit = (Criterion(metric="mean_distance", operator="<=", threshold=0.4),)
    code = written(Plan(shape="alive", alive=1.0, safety=2.0), env, observation=FREE, safety=limit)
    assert run(code, FAR, np.zeros(1), FAR)[0] == pytest.approx(1 - 2 * 0.6)
    assert run(code, FAR, np.zeros(1), NEAR)[0] == 1.0


def test_the_first_iteration_has_different_families():
    found = proposals(entry(), count=6)
    assert len({proposal.code for proposal in found}) == 6
    assert [parse(proposal.origin).shape for proposal in found] == [
        "distance",
        "exponential",
        "distance",
        "potential",
        "tolerance",
        "environment",
    ]
    assert all(proposal.idea for proposal in found)


def test_where_a_success_ends_the_episode_nothing_pays_for_staying():
    env = entry(success=Success(measure="distance", at_most=0.1, terminated=True))
    plans = [parse(proposal.origin) for proposal in proposals(env, count=5)]
    assert {plan.success for plan in plans} == {10.0}
    assert not any(plan.alive or plan.bonus or plan.shape == "exponential" for plan in plans)
    code = written(plans[0], env)
    going = run(code, FAR, np.zeros(1), FAR, {"terminated": False})[0]
    assert going < 0 < run(code, FAR, np.zeros(1), NEAR, {"terminated": True})[0]


def test_where_the_return_is_the_success_no_reward_leaves_it_out():
    env = entry(success=Success(measure="return", at_least=200.0), progress="return")
    plans = [parse(proposal.origin) for proposal in proposals(env, count=4)]
    assert all(plan.own == 1.0 or plan.shape == "environment" for plan in plans)


def test_measures_that_are_no_aim_are_no_reward_of_their_own():
    speed = Measure(quantity=Quantity(index=(2,)), map="abs", better="lower")
    env = entry({"distance": entry().measures["distance"], "speed": speed})
    assert {parse(proposal.origin).measure for proposal in proposals(env, count=5)} == {"distance"}


def test_episodes_that_must_last_pay_for_each_step():
    angle = Measure(quantity=Quantity(index=(2,)), map="abs", better="lower")
    lasting = Success(measure="length", at_least=500, terminated=False)
    env = entry({"distance": entry().measures["distance"], "angle": angle}, lasting, "length")
    first = proposals(env, action=SpaceFacts(kind="discrete", n=2))[0]
    assert parse(first.origin) == Plan(shape="exponential", measure="distance+angle", alive=1.0)


def test_the_same_request_gives_the_same_text_and_another_seed_another():
    many = {"count": 12}
    assert proposals(entry(), **many) == proposals(entry(), **many)
    assert proposals(entry(), **many) != proposals(entry(), seed=1, **many)
    assert proposals(entry(), **many)[:6] == proposals(entry(), seed=1, **many)[:6]


def scored(number, proposal, rate, progress=None, failure=""):
    return RewardCandidate(
        id=f"i1-c{number}",
        code=proposal.code,
        origin=proposal.origin,
        score=rate,
        success_rate=rate,
        progress=progress,
        failure=failure,
    )


def test_later_iterations_vary_the_best_and_repeat_nothing():
    first = proposals(entry(), count=5)
    earlier = [scored(n, proposal, 0.2 * (n == 3), -1.0) for n, proposal in enumerate(first)]
    second = proposals(entry(), count=5, iteration=2, earlier=earlier)
    assert len(second) == 5
    assert not {p.code for p in first} & {p.code for p in second}
    shapes = [parse(proposal.origin).shape for proposal in second]
    assert shapes.count("potential") == 4  # the best one, and one family that is new
    assert second != proposals(entry(), count=5, iteration=3, earlier=earlier)


def test_progress_decides_while_nothing_succeeds_and_failures_do_not_count():
    first = proposals(entry(), count=3)
    earlier = [
        scored(0, first[0], 0.0, -0.9),
        scored(1, first[1], 0.0, -0.2),
        scored(2, first[2], 1.0, 0.0, failure="loops"),
    ]
    second = proposals(entry(), count=4, iteration=2, earlier=earlier)
    assert [parse(proposal.origin).shape for proposal in second].count("exponential") == 3


@pytest.mark.parametrize(
    ("feedback", "change"),
    [
        ("The policy comes near the goal.", {"width": 0.5, "bonus": 3.0}),
        ("There is no progress.", {"width": 3.0}),
        ("Episodes end early.", {"alive": 1.0}),
    ],
)
def test_feedback_changes_the_first_variation(feedback, change):
    env, plan = entry(), Plan(shape="distance", measure="distance", width=1.0, bonus=1.0)
    best = RewardCandidate(
        id="i1-c1", code=written(plan, env), origin=plan.origin, score=0.5, success_rate=0.5
    )
    second = proposals(env, iteration=2, earlier=[best], feedback=feedback)
    assert parse(second[0].origin) == replace(plan, **change)


def test_after_a_models_reward_the_templates_come_first():
    own = RewardCandidate(id="i1-c1", code="x", origin="model:some", score=0.9, success_rate=0.9)
    second = proposals(entry(), iteration=2, earlier=[own])
    assert second == proposals(entry())


def test_when_all_families_were_tried_the_best_of_them_is_varied():
    first = proposals(entry(), count=6)
    own = RewardCandidate(id="i1-c0", code="x", origin="environment", score=0.9, success_rate=0.9)
    earlier = [own, *(scored(n, proposal, 0.1 * (n == 4)) for n, proposal in enumerate(first))]
    second = proposals(entry(), iteration=2, earlier=earlier)
    assert {parse(proposal.origin).shape for proposal in second} == {"tolerance"}


def test_a_success_without_measures_still_has_rewards():
    env = entry({}, Success(signal="is_success"), "return")
    found = proposals(env, observation=FREE, count=3)
    assert [parse(proposal.origin).shape for proposal in found[:2]] == ["signal", "environment"]
    assert len({proposal.code for proposal in found}) == 3


@pytest.mark.parametrize(
    "origin", ["environment", "model:x", "template:nothing()", "template:gain(width=a)", "template:gain(x=1)"]
)
def test_other_origins_are_no_plans(origin):
    assert parse(origin) is None


def test_origins_are_read_back():
    plan = Plan(shape="exponential", measure="distance", width=0.25, bonus=1.0, own=0.3, action_cost=0.01)
    assert (
        plan.origin == "template:exponential(measure=distance,width=0.25,bonus=1.0,own=0.3,action_cost=0.01)"
    )
    assert parse(plan.origin) == plan
    assert all(parse(Plan(shape=shape).origin) == Plan(shape=shape) for shape in SHAPES)


ACROSS_PROCESSES = """
import sys
sys.path.insert(0, {folder!r})
import test_templates as these
first = these.proposals(these.entry(), count=8)
earlier = [these.scored(n, proposal, 0.1 * n) for n, proposal in enumerate(first[:6])]
for proposal in (*first, *these.proposals(these.entry(), count=8, iteration=2, earlier=earlier)):
    print(proposal.code)
"""


def test_the_text_is_the_same_in_every_process():
    script = ACROSS_PROCESSES.format(folder=str(Path(__file__).parent))
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert texts.pop().count("def compute_reward") == 16
