import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent_robosmith.agents.api import AgentContext, DecisionRequest
from rpent_robosmith.agents.rules import RuleDecisions
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import judge
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.measures import Measure, Quantity, Success
from rpent_robosmith.reports import Decision, EpisodeRecord, RewardCandidate, TrainingReport
from rpent_robosmith.task import Criterion, TaskSpec

ALL = ("refine_reward", "switch_algorithm", "adjust_environment", "stop")
ENTRY = EnvEntry(
    id="toy",
    name="Toy",
    adapter="gymnasium",
    env_id="Toy-v0",
    robot="toy",
    tags=(),
    description="",
    measures={"distance": Measure(quantity=Quantity(), map="norm", better="lower")},
    success=Success(measure="distance", at_most=0.1),
    progress="distance",
)
SPACE = SpaceFacts(kind="box", shape=(1,), low=(-1,), high=(1,))
FACTS = EnvFacts(
    entry="toy", env_id="Toy-v0", adapter="gymnasium", observation=SPACE, action=SPACE, max_episode_steps=100
)


def episodes(successes, distance, **more):
    return [
        EpisodeRecord(
            seed=n, success=won, total=0.0, measures={"distance": distance}, **{"length": 100, **more}
        )
        for n, won in enumerate(successes)
    ]


def request(
    rate, distance, *, allowed=ALL, baseline=0.0, training=None, safety=(), earlier=(), reward=None, **more
):
    task = TaskSpec(sentence="toy", safety=safety)
    bars = [summarise("random", episodes(_share(baseline), 1.0), measures=("distance",))]
    ours = summarise("trained", episodes(_share(rate), distance, **more), measures=("distance",))
    report = {
        "iteration": 1,
        "algorithm": "ppo",
        "trainer": "sb3",
        "seed": 0,
        "reward": None,
        "status": "finished",
    }
    return DecisionRequest(
        task=task,
        entry=ENTRY,
        facts=FACTS,
        iteration=1,
        verdict=judge(task, ours, bars),
        training=TrainingReport(**{**report, **(training or {})}),
        reward=reward,
        allowed=allowed,
        algorithms=("sac", "td3") if "switch_algorithm" in allowed else (),
        earlier=earlier,
    )


def _share(rate):
    return [n < round(10 * rate) for n in range(10)]


def decide(*args, **kwargs):
    return RuleDecisions(AgentContext()).decide(request(*args, **kwargs))


def test_what_the_verdict_accepts_is_accepted():
    assert decide(1.0, 0.05, allowed=("accept", *ALL)).kind == "accept"


def test_a_refusal_is_never_an_accept():
    assert decide(0.5, 0.05, allowed=("accept", *ALL)).kind != "accept"


@pytest.mark.parametrize(
    ("rate", "distance", "kind"),
    [
        (0.5, 0.2, "refine_reward"),  # some success
        (0.0, 0.2, "refine_reward"),  # none, but nearer than the baseline's 1.0
        (0.0, 1.5, "switch_algorithm"),  # nothing learned
        (0.0, 1.0, "switch_algorithm"),
    ],
)
def test_what_was_learned_decides(rate, distance, kind):
    assert decide(rate, distance).kind == kind


def test_a_switch_names_the_next_algorithm():
    decision = decide(0.0, 1.5)
    assert (decision.algorithm, decision.by) == ("sac", "rules")
    assert decision.reason == (
        "The policy is no better than one that knows nothing. Another algorithm is tried with the same reward. "
        "`sac` is next."
    )


@pytest.mark.parametrize(
    ("allowed", "kind"),
    [
        (("refine_reward", "stop"), "refine_reward"),
        (("adjust_environment", "stop"), "adjust_environment"),
        (("stop",), "stop"),
    ],
)
def test_only_what_is_allowed_is_decided(allowed, kind):
    assert decide(0.0, 1.5, allowed=allowed).kind == kind


def test_after_two_refinements_something_else_is_tried():
    refined = Decision(kind="refine_reward", by="rules", reason="")
    assert decide(0.5, 0.2, earlier=(refined,)).kind == "refine_reward"
    assert decide(0.5, 0.2, earlier=(refined, refined)).kind == "switch_algorithm"
    switched = Decision(kind="switch_algorithm", by="rules", reason="")
    assert decide(0.5, 0.2, earlier=(refined, refined, switched)).kind == "refine_reward"


def test_a_failed_training_switches():
    decision = decide(0.0, 0.2, training={"status": "failed", "detail": "NaN in the weights."})
    assert decision.kind == "switch_algorithm"
    assert decision.reason.startswith("The training failed (NaN in the weights).")


@pytest.mark.parametrize("kind", ["reward", "timeout", "silence", "memory", "killed", "protocol", "error"])
def test_a_training_that_its_reward_ended_has_another_reward_next(kind):
    decision = decide(
        0.0, 0.2, training={"status": "failed", "failure": kind, "reward": "i1-c1", "detail": "It hung."}
    )
    assert decision.kind == "refine_reward"
    assert decision.reason == "The training failed (It hung). Other rewards are tried."


def test_a_broken_reward_is_replaced():
    decision = decide(0.0, 1.5, training={"reward_calls": 100, "reward_errors": 20})
    assert decision.kind == "refine_reward"


def test_where_nothing_can_be_shown_it_stops():
    assert decide(1.0, 0.0, baseline=1.0, allowed=("refine_reward", "stop")).kind == "stop"
    assert decide(1.0, 0.0, baseline=1.0).kind == "adjust_environment"


def test_the_feedback_says_what_was_seen():
    limit = (Criterion(metric="mean_distance", operator="<=", threshold=0.1),)
    reward = RewardCandidate(id="i1-c1", code="", origin="", components={"near": 0.25, "action": -1})
    decision = decide(0.3, 0.2, safety=limit, reward=reward, length=20, terminated=True)
    assert decision.feedback == (
        "The success rate is 30%. A safety limit does not hold: `mean_distance <= 0.1`. The policy comes near, but "
        "not often enough to a success. Episodes end early. Components of the reward, mean of a step: `action` -1, "
        "`near` 0.25."
    )


kinds = st.sets(st.sampled_from(["accept", *ALL]), min_size=1).map(lambda found: tuple(sorted(found)))


@given(
    st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.floats(0, 2),
    kinds,
    st.booleans(),
)
def test_whatever_happened_the_decision_can_be_done(rate, baseline, distance, allowed, failed):
    training = {"status": "failed"} if failed else None
    asked = request(rate, distance, baseline=baseline, allowed=allowed, training=training)
    decision = RuleDecisions().decide(asked)
    assert decision.kind in allowed
    assert decision.kind != "accept" or asked.verdict.accepted or allowed == ("accept",)
    assert (decision.algorithm == "sac") == (decision.kind == "switch_algorithm")
    assert decision.reason.endswith(".")
