"""The toolset is one of pydantic-ai's own kind: an agent of pydantic-ai can use it too."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from rpent.runs.events import ToolCalled, read_events
from rpent_planner_api.toolset import SessionToolset

from .stage import Stage


def test_it_offers_what_the_session_offers(stage: Stage) -> None:
    session = stage.session()
    context = RunContext[None](deps=None, model=TestModel(), usage=RunUsage())
    tools = asyncio.run(SessionToolset(session).get_tools(context))
    assert list(tools) == [tool.name for tool in session.tools]
    for tool in session.tools:
        definition = tools[tool.name].tool_def
        assert definition.parameters_json_schema == tool.schema
        assert definition.description == tool.description
        assert definition.sequential


def test_an_agent_calls_through_it(stage: Stage) -> None:
    session = stage.session()
    steps = iter(
        [
            ModelResponse(
                parts=[ToolCallPart("look", {"size": 64}), ToolCallPart("set_gripper", {"gripper": "wide"})]
            ),
            ModelResponse(parts=[TextPart("Done.")]),
        ]
    )
    seen: list[ModelMessage] = []

    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        seen[:] = messages
        return next(steps)

    agent = Agent(FunctionModel(model), toolsets=[SessionToolset(session)])
    assert asyncio.run(agent.run("Look.")).output == "Done."
    looked, gripped = seen[-1].parts
    assert [type(item).__name__ for item in looked.content] == ["str", "str", "BinaryContent"]
    assert "it must be one of" in str(gripped.content)
    events = list(read_events(session.recorder.directory.events))
    assert [event.name for event in events if isinstance(event, ToolCalled)] == ["look", "set_gripper"]
