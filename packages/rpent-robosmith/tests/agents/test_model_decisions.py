"""A model decides within what is allowed; the rules decide where its answer is of no use."""

from __future__ import annotations

import json
import time

import pytest
from rpent.planners.faults import ModelError
from rpent.testing.models import ALWAYS, Call, Fault, Reply, Tokens
from rpent_robosmith.reports import Usage

ModelDecisions = pytest.importorskip(
    "rpent_robosmith.agents.model_decisions", reason="needs rpent-robosmith[model]"
).ModelDecisions


def decide(**answer: object) -> Reply:
    """A reply that fills in the form."""
    return Reply(calls=[Call("decide", {"reason": "Because.", **answer})])


def test_a_decision_over_each_wire(models, provider, decision_request):
    server = models.serve([decide(decision="switch_algorithm", algorithm="td3", feedback="Less force.")])
    decision = ModelDecisions(models.context(server, provider)).decide(decision_request())
    assert (decision.kind, decision.algorithm, decision.feedback) == (
        "switch_algorithm",
        "td3",
        "Less force.",
    )
    assert decision.by == f"model:{provider}:test-model"
    asked = server.requests[0]
    assert "success_rate 0.4" in asked.text
    assert "Allowed: refine_reward, switch_algorithm, stop." in asked.text
    assert set(asked.tools) == {"decide"}


@pytest.mark.parametrize(
    "text",
    [
        '{"decision": "stop", "reason": "Enough."}',
        'Well.\n```json\n{"decision": "stop", "reason": "Enough."}\n```\nGood luck!',
        'I think {this} is it: {"decision": "stop", "reason": "Enough."}.',
    ],
)
def test_json_in_a_text_is_understood(models, decision_request, text):
    server = models.serve([Reply(text=text)])
    decision = ModelDecisions(models.context(server)).decide(decision_request())
    assert (decision.kind, decision.reason) == ("stop", "Enough.")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (decide(decision="accept"), "`accept` cannot be chosen against the verdict"),
        (decide(decision="adjust_environment"), "`adjust_environment` cannot be chosen now"),
        (decide(decision="switch_algorithm", algorithm="dqn"), "`algorithm` must be one of `sac`, `td3`"),
        (decide(decision="pivot"), "`decision`: Input should be 'accept'"),
        (Reply(), "no call of `decide` and no JSON object"),
        (Reply(stop="refusal"), "no call of `decide` and no JSON object"),
        (Reply(text="I would refine the reward."), "no call of `decide` and no JSON object"),
        (Reply(calls=[Call("decide", "{not json")]), "no call of `decide` and no JSON object"),
    ],
)
def test_an_answer_that_cannot_be_used_goes_back_once(models, provider, decision_request, bad, reason):
    server = models.serve([bad, decide(decision="refine_reward")])
    decision = ModelDecisions(models.context(server, provider)).decide(decision_request())
    assert decision.kind == "refine_reward"
    assert decision.by.startswith("model:")
    assert reason in server.requests[1].text
    assert len(server.requests) == 2


def test_the_rules_decide_after_two_useless_answers_and_say_so(models, decision_request):
    server = models.serve([decide(decision="accept"), decide(decision="accept")])
    decision = ModelDecisions(models.context(server)).decide(
        decision_request(allowed=("accept", "refine_reward"))
    )
    assert (decision.kind, decision.by) == ("refine_reward", "rules")
    assert (
        "The rules decided instead of the model: `accept` cannot be chosen against the verdict"
        in decision.reason
    )
    assert models.said == [
        "The rules decide instead of the model. `accept` cannot be chosen against the verdict; "
        "allowed are `refine_reward`."
    ]


def test_what_is_accepted_may_be_refined_where_that_is_allowed(models, decision_request):
    server = models.serve([decide(decision="refine_reward")])
    request = decision_request(accepted=True, allowed=("accept", "refine_reward"))
    assert ModelDecisions(models.context(server)).decide(request).kind == "refine_reward"


def test_nothing_is_asked_where_only_one_thing_can_be_done(models, decision_request):
    server = models.serve([])
    decision = ModelDecisions(models.context(server)).decide(decision_request(allowed=("stop",)))
    assert (decision.kind, server.all_requests) == ("stop", [])


def test_what_a_model_says_is_shown_as_one_printable_line(models, decision_request):
    server = models.serve([decide(decision="stop", reason="\x1b[31mRed\n\ud800alert\x07", feedback="a\r\nb")])
    decision = ModelDecisions(models.context(server)).decide(decision_request())
    assert (decision.reason, decision.feedback) == ("[31mRed alert", "a b")


def test_usage_and_the_record(models, decision_request):
    server = models.serve([decide(decision="accept"), decide(decision="stop")])
    agent = ModelDecisions(models.context(server))
    agent.decide(decision_request())
    assert agent.usage() == Usage(requests=2, input_tokens=200, output_tokens=40)
    first, second = models.lines
    assert first.system.startswith("A policy was trained and evaluated.")
    assert (second.system, second.asked) == (
        "",
        "That cannot be used. `accept` cannot be chosen against the verdict; allowed are `refine_reward`, "
        "`switch_algorithm`, `stop`.\nAnswer once more, mended.",
    )
    assert json.loads(second.said.calls[0].arguments)["decision"] == "stop"
    assert "test-key" not in models.log.read_text()


def test_a_refused_key_ends_it_at_once(models, provider, decision_request):
    server = models.serve([Reply(fault=Fault(kind="key", times=ALWAYS))])
    with pytest.raises(ModelError, match="is refused by the server at"):
        ModelDecisions(models.context(server, provider)).decide(decision_request())
    assert len(server.requests) == 1
    assert [line.kind for line in models.lines] == ["fault"]


def test_a_limited_rate_is_waited_for(models, provider, decision_request):
    server = models.serve(
        [
            Reply(
                calls=decide(decision="stop").calls, fault=Fault(kind="rate_limit", times=2, retry_after=0.05)
            )
        ]
    )
    assert ModelDecisions(models.context(server, provider)).decide(decision_request()).kind == "stop"
    assert len(server.requests) == 3
    assert [line.rpartition(" (")[2] for line in models.said] == ["1 of 5).", "2 of 5)."]


def test_a_wait_beyond_the_runs_time_is_not_begun(models, decision_request):
    server = models.serve([Reply(fault=Fault(kind="rate_limit", times=ALWAYS, retry_after=30))])
    decision = ModelDecisions(models.context(server, seconds_left=lambda: 5.0)).decide(decision_request())
    assert decision.by == "rules"
    assert "limits the rate of requests" in decision.reason
    assert "The run has no time left to ask again." in decision.reason
    assert len(server.requests) == 1


def test_an_answer_that_comes_after_the_runs_time_is_not_waited_for(models, decision_request):
    server = models.serve([Reply(text="late", delay_s=20.0)])
    end = time.monotonic() + 1.5
    agent = ModelDecisions(models.context(server, seconds_left=lambda: end - time.monotonic()))
    decision = agent.decide(decision_request())
    assert decision.by == "rules"
    assert "The run has no time left to ask again." in decision.reason


def test_a_silent_server_is_given_up(models, decision_request):
    server = models.serve([Reply(text="late", delay_s=5.0)] * 3)
    agent = ModelDecisions(models.context(server, request_timeout_s=0.3))
    with pytest.raises(ModelError, match=r"gave no answer within|cannot be reached"):
        agent.decide(decision_request())
    assert len(server.requests) <= 2


def test_without_tokens_left_the_rules_decide(models, decision_request):
    server = models.serve([Reply(calls=decide(decision="pivot").calls, usage=Tokens(input=900, output=50))])
    decision = ModelDecisions(models.context(server, max_tokens=1000)).decide(decision_request())
    assert decision.by == "rules"
    assert "The model's budget of 1000 tokens is used up (950 spent)." in decision.reason
    assert len(server.requests) == 1


def test_a_reply_is_no_longer_than_what_is_left(models, decision_request):
    server = models.serve([decide(decision="stop")])
    ModelDecisions(models.context(server, max_tokens=700)).decide(decision_request())
    assert server.requests[0].body["max_tokens"] == 700
