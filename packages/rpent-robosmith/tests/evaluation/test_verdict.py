import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent.errors import UsageError
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import best_of, check_metrics, judge, standing
from rpent_robosmith.measures import Measure, Quantity, Success
from rpent_robosmith.reports import EpisodeRecord
from rpent_robosmith.task import Criterion, TaskSpec


def entry(**changes):
    return EnvEntry(
        **{
            "id": "reacher",
            "name": "Reacher",
            "adapter": "gymnasium",
            "env_id": "Reacher-v5",
            "robot": "arm",
            "tags": ("reach",),
            "description": "Reach.",
            "measures": {
                "distance": Measure(quantity=Quantity(index=(8, 9)), map="norm", better="lower"),
            },
            "success": Success(measure="distance", at_most=0.05),
            "progress": "distance",
            **changes,
        }
    )


def report(policy, successes, *, crashed=0, measures=None):
    return summarise(
        policy,
        [
            EpisodeRecord(
                seed=number,
                length=50,
                total=-5.0,
                success=won,
                measures=measures or {"distance": 0.1},
                error="RuntimeError: boom" if number < crashed else "",
            )
            for number, won in enumerate(successes)
        ],
        measures=("distance",),
    )


def task(*criteria, safety=(), margin=0.1):
    return TaskSpec(
        sentence="reach",
        criteria=tuple(map(parse, criteria or ("success_rate >= 0.8",))),
        safety=tuple(map(parse, safety)),
        margin=margin,
    )


def parse(text):
    metric, operator, threshold = text.split()
    return Criterion(metric=metric, operator=operator, threshold=float(threshold))


NOTHING = [report("random", [False] * 10), report("zero", [False] * 10)]


def test_a_good_policy_is_accepted_with_its_reasons():
    verdict = judge(task(), report("trained", [True] * 9 + [False]), NOTHING)
    assert verdict.accepted
    assert verdict.criteria == {"success_rate >= 0.8": True}
    assert verdict.reasons == (
        "The criterion `success_rate >= 0.8` holds: 0.9 (95 % interval 0.5958 to 0.9821).",
        "It beats the best baseline (`random`, 0%) by the margin of 10%: it succeeds in 90% of the episodes.",
    )


def test_the_best_baseline_counts():
    baselines = [report("random", [False] * 10), report("zero", [True] * 8 + [False] * 2)]
    verdict = judge(task(margin=0.1), report("trained", [True] * 8 + [False] * 2), baselines)
    assert not verdict.accepted
    assert verdict.criteria["success_rate >= 0.8"]
    assert not verdict.beats_baselines
    assert "`zero`, 80%" in verdict.reasons[-1]


def test_the_margin_itself_is_enough():
    baselines = [report("random", [True] * 7 + [False] * 3)]  # 0.7 + 0.1 is 0.7999… in floats
    assert judge(task(), report("trained", [True] * 8 + [False] * 2), baselines).accepted


def test_without_a_margin_a_tie_is_no_win():
    baselines = [report("random", [True] * 9 + [False])]
    verdict = judge(task(margin=0.0), report("trained", [True] * 9 + [False]), baselines)
    assert not verdict.beats_baselines


def test_a_task_that_is_trivial_is_called_so():
    verdict = judge(task(), report("trained", [True] * 10), [report("zero", [True] * 10)])
    assert not verdict.accepted
    assert "succeeds in 100% of the episodes already" in verdict.reasons[-1]


def test_a_crash_is_never_accepted_unless_a_criterion_allows_it():
    trained = report("trained", [True] * 10, crashed=1)
    refused = judge(task(), trained, NOTHING)
    assert not refused.accepted
    assert refused.reasons[-1] == "1 of 10 episodes crashed, the first one at seed 0: RuntimeError: boom"
    assert judge(task("success_rate >= 0.8", "error_rate <= 0.1"), trained, NOTHING).accepted
    assert not judge(task("success_rate >= 0.8", "error_rate <= 0.05"), trained, NOTHING).accepted


def test_when_every_episode_crashed_no_criterion_helps():
    trained = report("trained", [True] * 3, crashed=3)
    assert not judge(task("error_rate <= 1"), trained, NOTHING).accepted


def test_crashes_of_a_baseline_do_not_lower_the_bar():
    baselines = [report("random", [True] * 10, crashed=5)]
    assert not judge(task(), report("trained", [True] * 9 + [False]), baselines).accepted
    with_none = judge(task(), report("trained", [True] * 10), [report("random", [True] * 2, crashed=2)])
    assert not with_none.beats_baselines


def test_a_safety_limit_refuses_a_policy_that_succeeds():
    trained = report("trained", [True] * 10, measures={"distance": 0.3})
    verdict = judge(task(safety=("mean_distance <= 0.2",)), trained, NOTHING)
    assert not verdict.accepted
    assert verdict.safety == {"mean_distance <= 0.2": False}
    assert "The safety limit `mean_distance <= 0.2` does not hold: 0.3" in verdict.reasons[1]


@pytest.mark.parametrize("criterion", ["mean_distance <= 100", "mean_distance >= -100"])
def test_what_could_not_be_measured_holds_nothing(criterion):
    trained = report("trained", [True] * 10, measures={"distance": math.nan})
    verdict = judge(task(criterion), trained, NOTHING)
    assert not verdict.accepted
    assert verdict.reasons[0].endswith("could not be measured.")


def test_no_episodes_are_no_evaluation():
    verdict = judge(task("success_rate >= 0"), report("trained", []), NOTHING)
    assert not verdict.accepted
    assert verdict.reasons[-1] == "No episode was evaluated."


outcomes = st.lists(st.booleans(), min_size=1, max_size=30)


@given(st.tuples(outcomes, outcomes, outcomes), st.integers(0, 40), st.floats(0, 1), st.floats(0, 1))
def test_an_accepted_policy_has_everything_on_its_side(episodes, crashed, threshold, margin):
    won, random, zero = episodes
    baselines = [report("random", random), report("zero", zero)]
    trained = report("trained", won, crashed=crashed)
    verdict = judge(task(f"success_rate >= {threshold!r}", margin=margin), trained, baselines)
    rate = trained.metrics["success_rate"]
    best = max(sum(random) / len(random), sum(zero) / len(zero))
    if verdict.accepted:
        assert crashed == 0
        assert rate >= threshold
        assert rate > best
        assert rate >= best + margin - 1e-6
    elif crashed == 0 and rate >= threshold:
        assert rate <= best or rate < best + margin + 1e-6
    assert all(reason.strip() for reason in verdict.reasons)


@given(outcomes, outcomes)
def test_a_better_policy_never_stands_lower(one, other):
    first = judge(task(), report("trained", one), NOTHING)
    second = judge(task(), report("trained", other), NOTHING)
    if sum(one) / len(one) > sum(other) / len(other):
        assert standing(first, entry()) > standing(second, entry())


def test_the_best_iteration_is_accepted_then_successful_then_nearest():
    near = judge(task(), report("trained", [False] * 4, measures={"distance": 0.1}), NOTHING)
    far = judge(task(), report("trained", [False] * 4, measures={"distance": 0.9}), NOTHING)
    unknown = judge(task(), report("trained", []), NOTHING)
    assert best_of({1: far, 2: near, 3: near}, entry()) == 2
    assert best_of({1: unknown, 2: far}, entry()) == 2
    assert best_of({}, entry()) is None
    unsafe = judge(
        task(safety=("mean_distance <= 0.2",)),
        report("trained", [True] * 10, measures={"distance": 1}),
        NOTHING,
    )
    safe = judge(task(), report("trained", [True] * 9 + [False]), NOTHING)
    assert best_of({1: unsafe, 2: safe}, entry()) == 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (task("succes_rate >= 0.8"), "did you mean `success_rate`?"),
        (task("distance <= 0.1"), "did you mean `mean_distance`?"),
        (task(safety=("mean_force <= 1",)), "`reacher` has no metric `mean_force` for `--safety`"),
        (task("success_rate >= 90"), "can never hold"),
        (task("success_rate > 1"), "can never hold"),
        (task("error_rate < 0"), "can never hold"),
        (task("mean_return >= nan"), "no finite threshold"),
    ],
)
def test_what_cannot_be_decided_is_refused(spec, message):
    with pytest.raises(UsageError) as refusal:
        check_metrics(spec, entry())
    assert message in refusal.value.message


def test_what_can_be_decided_is_not_refused():
    check_metrics(task("success_rate >= 1", "mean_distance <= 0.1", safety=("mean_length <= 50",)), entry())
