import pytest
from rpent.errors import RpentError
from rpent_robosmith.agents.rules import RuleDecisions
from rpent_robosmith.catalog.load import find
from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import judge
from rpent_robosmith.facts import EnvFacts, SpaceFacts
from rpent_robosmith.reports import Decision, EpisodeRecord, RewardCandidate, TrainingReport, Usage
from rpent_robosmith.stages import decision as stage
from rpent_robosmith.stages.decision import possible, run
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow.state import RunState
from rpent_robosmith.workflow.workshop import Workshop

ENTRY = find("pendulum")
ACTION = SpaceFacts(kind="box", shape=(1,), low=(-2,), high=(2,), dtype="float32")
FACTS = EnvFacts(
    entry="pendulum", env_id="Pendulum-v1", adapter="gymnasium", observation=ACTION, action=ACTION
)
REWARD = RewardCandidate(id="i1-c1", code="", origin="environment", score=0.0, success_rate=0.0)


class Agent:
    """Says what it was told to, and remembers what it was asked."""

    def __init__(self, answer=None):
        self.answer, self.request = answer, None

    def decide(self, request):
        self.request = request
        return self.answer or RuleDecisions().decide(request)

    def usage(self):
        return Usage(requests=1)


class Listener:
    def say(self, line):
        pass

    def progress(self, label, done, total, note=""):
        pass


def workshop(agent, left=None):
    return Workshop(
        folder=None,
        bench=None,
        intake=agent,
        rewards=agent,
        decisions=agent,
        listener=Listener(),
        deadline=lambda: left,
    )


def verdict(rate, upright=0.0):
    def report(name, successes, level):
        episodes = [
            EpisodeRecord(
                seed=n,
                length=200,
                total=-1.0,
                success=n < successes,
                measures=dict.fromkeys(ENTRY.measures, level),
            )
            for n in range(10)
        ]
        return summarise(name, episodes, measures=ENTRY.measures)

    baselines = [report("random", 0, -0.5), report("zero", 0, -0.5)]
    return judge(TaskSpec(sentence="swing up"), report("trained", round(10 * rate), upright), baselines)


def training(iteration=1, algorithm="sac", order="", **more):
    fields = {"reward": "i1-c1", "status": "finished", "policy": "training/i1/policy", **more}
    return TrainingReport(
        iteration=iteration, algorithm=algorithm, trainer="sb3", seed=0, order=order, **fields
    )


def state(rate=0.0, upright=0.0, *, iteration=1, reward=REWARD, trainings=None, decisions=(), **task):
    trainings = trainings or tuple(training(n, order=str(n)) for n in range(1, iteration + 1))
    return RunState(
        run_id="x",
        task=TaskSpec(sentence="swing up", **task),
        iteration=iteration,
        next_node="decision",
        entry=ENTRY,
        facts=FACTS,
        reward=reward,
        algorithm="sac",
        trainings=trainings,
        verdicts=tuple(verdict(rate, upright) for _ in trainings),
        decisions=decisions,
    )


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """These algorithms are installed; the scout found one environment."""
    names = ["sac", "ppo", "td3"]
    monkeypatch.setattr(stage, "fitting", lambda *args, **kwargs: tuple(names))
    monkeypatch.setattr(stage, "alternatives", lambda state: ())
    return names


def test_an_accepted_policy_is_delivered():
    after = run(state(1.0), workshop(Agent()))
    assert (after.decisions[-1].kind, after.next_node, after.iteration) == ("accept", "delivery", 1)
    assert after.usage.requests == 3


def test_another_reward_goes_back_to_its_search():
    after = run(state(0.4), workshop(Agent()))
    assert (after.decisions[-1].kind, after.next_node, after.iteration) == ("refine_reward", "reward", 2)


def test_another_algorithm_keeps_the_reward_and_goes_straight_to_training():
    after = run(state(0.0, -0.9), workshop(Agent()))
    assert (after.decisions[-1].kind, after.next_node, after.iteration) == ("switch_algorithm", "training", 2)
    assert (after.algorithm, after.reward) == ("ppo", REWARD)


def test_another_environment_begins_anew(monkeypatch, installed):
    del installed[1:]
    monkeypatch.setattr(stage, "alternatives", lambda state: ("cartpole",))
    after = run(state(0.0, -0.9, reward=None), workshop(Agent()))
    assert (after.decisions[-1].kind, after.next_node) == ("adjust_environment", "environment")
    assert (after.facts, after.reward, after.algorithm) == (None, None, None)


def test_the_last_iteration_is_the_last():
    agent = Agent()
    after = run(state(0.4, iteration=3, iterations=3), workshop(agent))
    assert agent.request.allowed == ("stop",)
    assert (after.next_node, after.iteration) == ("delivery", 3)
    assert after.decisions[-1].reason == "It was the last of 3 iterations."


def test_without_time_nothing_else_begins():
    assert possible(state(0.4), 59.0) == ("stop",)
    assert possible(state(1.0), 0.0) == ("accept",)
    assert "refine_reward" in possible(state(0.4), 61.0)


def test_that_the_time_is_over_is_said():
    assert run(state(0.4), workshop(Agent(), left=10.0)).decisions[-1].reason == "The run's time is over."
    last = run(state(0.4, iteration=3), workshop(Agent(), left=10.0))
    assert last.decisions[-1].reason == "It was the last of 3 iterations."
    assert run(state(1.0), workshop(Agent(), left=10.0)).decisions[-1].kind == "accept"


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({}, ("refine_reward", "switch_algorithm", "stop")),
        ({"algorithm": "sac"}, ("refine_reward", "stop")),
        ({"reward": None}, ("stop",)),  # imitation: no reward to refine, and no other imitation is installed
        ({"iterations": 1}, ("stop",)),
    ],
)
def test_only_what_can_be_done_is_offered(changes, allowed):
    assert possible(state(0.4, **changes)) == allowed


def test_an_algorithm_is_tried_once():
    tried = (training(1, "sac", "1"), training(2, "ppo", "2"), training(3, "td3", "3"))
    assert stage.untried(state(trainings=tried[:2], iteration=2)) == ("td3",)
    assert "switch_algorithm" not in possible(state(trainings=tried, iteration=3, iterations=9))


def test_a_training_that_only_repeated_another_is_not_refined_again():
    repeated = (training(1, order="a"), training(2, order="a"))
    assert "refine_reward" not in possible(state(0.4, trainings=repeated, iteration=2))
    assert "refine_reward" in possible(
        state(0.4, trainings=(training(1, order="a"), training(2, order="b")), iteration=2)
    )


@pytest.mark.parametrize(
    "wish",
    [
        Decision(kind="accept", by="model:x", reason="Looks good."),
        Decision(kind="adjust_environment", by="model:x", reason="Another one."),
        Decision(kind="switch_algorithm", by="model:x", reason="Better.", algorithm="dreamer"),
        Decision(kind="switch_algorithm", by="model:x", reason="Better."),
    ],
)
def test_a_model_only_advises(wish):
    after = run(state(0.4), workshop(Agent(wish)))
    decision = after.decisions[-1]
    assert (decision.kind, decision.by) == ("refine_reward", "rules")
    assert decision.reason.startswith("`model:x` wanted ")


def test_a_possible_wish_is_followed():
    wish = Decision(kind="switch_algorithm", by="model:x", reason="Faster.", algorithm="td3", feedback="f")
    after = run(state(0.4), workshop(Agent(wish)))
    assert (after.decisions[-1], after.algorithm) == (wish, "td3")


def test_without_a_verdict_there_is_nothing_to_decide():
    with pytest.raises(RpentError, match="nothing to decide"):
        run(state().model_copy(update={"verdicts": ()}), workshop(Agent()))
