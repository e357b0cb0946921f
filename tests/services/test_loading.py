"""What a service says that it does while it starts reaches whoever waits for it."""

from service_cases import counter_request


def test_loading_lines_become_events(supervisor, events):
    stages = ["reading the weights (10%)", "reading the weights (90%)", "a first answer"]
    supervisor.start([counter_request(loading=stages, delay_s=0.8)])
    states = [event["state"] for event in events]
    assert states[0] == "starting"
    assert states[-1] == "ready"
    told = [event["detail"] for event in events if event["state"] == "loading"]
    assert told[-1] == "a first answer"
    assert set(told) <= set(stages)


def test_a_restart_tells_too(supervisor, events):
    supervisor.start([counter_request(loading=["it"], delay_s=0.6)])
    del events[:]
    supervisor.restart("counter")
    assert [event["state"] for event in events] == ["restarting", "loading", "ready"]
