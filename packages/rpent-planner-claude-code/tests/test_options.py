"""What Claude Code is started with."""

from __future__ import annotations

import pytest
from rpent.session.limits import Limits
from rpent.session.usage import Usage
from rpent.testing import fake_session
from rpent_planner_claude_code.config import ClaudeCodeConfig
from rpent_planner_claude_code.endpoint import Endpoint
from rpent_planner_claude_code.options import build_options
from rpent_planner_claude_code.private import private_places

ANTHROPICS = Endpoint(model="sonnet", base_url="", key_variable="ANTHROPIC_API_KEY", key="k")
ANOTHERS = Endpoint(model="m", base_url="http://127.0.0.1:1", key_variable="ANTHROPIC_API_KEY", key="k")


def budget_told(session, endpoint):
    with private_places() as folder:
        options = build_options(session, ClaudeCodeConfig(), endpoint, folder, object(), print)
    return options.max_budget_usd


def test_claude_code_is_told_what_is_left_of_the_budget(tmp_path):
    with fake_session(tmp_path, limits=Limits(cost_limit_usd=2.0)) as session:
        assert budget_told(session, ANTHROPICS) == pytest.approx(2.0)
        session.report_usage(Usage(input_tokens=1, cost_usd=0.5))
        assert budget_told(session, ANTHROPICS) == pytest.approx(1.5)


def test_it_counts_no_other_servers_dollars(tmp_path):
    with fake_session(tmp_path, limits=Limits(cost_limit_usd=2.0)) as session:
        assert budget_told(session, ANOTHERS) is None


def test_without_a_limit_it_is_told_none(tmp_path):
    with fake_session(tmp_path) as session:
        assert budget_told(session, ANTHROPICS) is None
