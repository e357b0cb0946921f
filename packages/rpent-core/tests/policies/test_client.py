"""What a policy server says of itself, read by its client."""

import pytest
from rpent.errors import ToolError
from rpent.policies.client import INFER_TIMEOUT_S, SIZE, Wanted


def test_what_a_server_wants():
    found = Wanted.of(
        {
            "cameras": {"top": [64, 48], "wrist": [None, None]},
            "state": {"eef_position": 3},
            "action_dim": 4,
            "execute_steps": 2,
            "infer_timeout_s": 12.0,
            "warm_up_s": 0.5,
        }
    )
    assert found.cameras == {"top": (64, 48), "wrist": (SIZE, SIZE)}
    assert (found.state, found.action_dim, found.execute_steps) == (("eef_position",), 4, 2)
    assert (found.infer_timeout_s, found.warm) == (12.0, True)


def test_what_a_server_does_not_say():
    found = Wanted.of({})
    assert (found.cameras, found.state, found.action_dim, found.execute_steps) == ({}, (), None, None)
    assert (found.infer_timeout_s, found.warm) == (INFER_TIMEOUT_S, False)


@pytest.mark.parametrize(
    "said",
    [
        {"cameras": "top"},
        {"cameras": {"top": []}},
        {"cameras": {"top": ["wide", 3]}},
        {"state": 7},
        {"action_dim": "seven"},
        {"infer_timeout_s": [1]},
        {"execute_steps": float("inf")},
    ],
)
def test_what_cannot_be_read_is_one_sentence(said):
    with pytest.raises(ToolError, match="says of itself cannot be read") as caught:
        Wanted.of(said)
    assert "\n" not in caught.value.message
