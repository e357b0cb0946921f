"""Makes a run's agents: by the names that the user gave, through the registry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, cast

from rpent.errors import PluginError, UsageError
from rpent.plugins import registry
from rpent.plugins.named import load_named
from rpent.suggest import typeable

from rpent_robosmith.agents.api import AgentContext
from rpent_robosmith.reports import Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.agents.api import DecisionAgent, IntakeAgent, RewardAgent
    from rpent_robosmith.specs import DecisionAgentSpec, Needs, RewardAgentSpec

MODEL = "model"
"""The agent of each kind that asks a language model; the default where `--model` is given."""
DEFAULTS = {"reward_agents": "templates", "decision_agents": "rules"}
"""Without a model."""
_KINDS = {"reward_agents": "reward agent", "decision_agents": "decision agent"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentOptions:
    """What the user chose."""

    rewards: str | None = None
    """A reward agent; None takes `model` where a model is given, and `templates` otherwise."""
    decisions: str | None = None
    """A decision agent; None takes `model` where a model is given, and `rules` otherwise."""
    model: str | None = None
    """`openai-chat:NAME`, as for the planner `api`. There is no default model."""
    base_url: str | None = None
    key_variable: str | None = None
    model_tokens: int | None = None
    model_cost_usd: float | None = None
    request_timeout_s: float = 300.0
    seed: int = 0
    log: str | None = None
    """`model.jsonl` of the run; what it holds already is not asked again. None keeps no record."""
    say: Callable[[str], None] | None = None
    seconds_left: Callable[[], float | None] | None = None

    def name(self, kind: str) -> str:
        """Return the agent of a kind (`reward_agents`, `decision_agents`)."""
        chosen = self.rewards if kind == "reward_agents" else self.decisions
        return chosen or (MODEL if self.model else DEFAULTS[kind])


class Agents(Protocol):
    """Whatever holds a run's three agents: a workshop."""

    @property
    def intake(self) -> IntakeAgent:
        """Who reads the sentence."""

    @property
    def rewards(self) -> RewardAgent:
        """Who writes rewards."""

    @property
    def decisions(self) -> DecisionAgent:
        """Who decides."""


def make_agents(
    options: AgentOptions, *, check: bool = False
) -> tuple[IntakeAgent, RewardAgent, DecisionAgent]:
    """Return who reads the sentence, who writes rewards and who decides.

    Args:
        options: The user's choice.
        check: Whether the model is asked for (key, address, name, price) before anything starts.

    Raises:
        UsageError: An agent needs a model and none is named, or the model's name is not one.
        PluginError: There is no such agent, or what it needs is not installed.
        ModelError: The model cannot be asked.
    """
    specs = {kind: agent_spec(kind, options.name(kind)) for kind in DEFAULTS}
    for kind, spec in specs.items():
        if spec.uses_model and not options.model:
            raise UsageError(
                f"The {_KINDS[kind]} `{spec.name}` needs a model, and none is named.",
                hint="Give `--model openai-chat:NAME --base-url URL` for a local server, or `--model PROVIDER:NAME`.",
            )
    context = _context(options, check=check)
    rewards, decisions = (_made(kind, spec, context) for kind, spec in specs.items())
    return _intake(context), cast("RewardAgent", rewards), cast("DecisionAgent", decisions)


def agent_spec(kind: str, name: str) -> RewardAgentSpec | DecisionAgentSpec:
    """Return the spec of an agent.

    Raises:
        PluginError: There is none of this name, or what it needs is not installed.
    """
    spec: RewardAgentSpec | DecisionAgentSpec = registry.get(kind, name)
    require(spec.needs, f"The {_KINDS[kind]} `{name}`")
    return spec


def require(needs: Needs, who: str) -> None:
    """Raise when a module that somebody needs is not installed; nothing is imported.

    Raises:
        PluginError: One is missing; the hint is the command that installs it.
    """
    missing = [module for module in needs.modules if find_spec(module) is None]
    if missing:
        names = ", ".join(f"`{name}`" for name in needs.packages or missing)
        raise PluginError(f"{who} needs {names}, which is not installed.", hint=typeable(needs.install))


def spent(agents: Agents) -> Usage:
    """Return what the three agents have cost so far."""
    parts = [agent.usage() for agent in (agents.intake, agents.rewards, agents.decisions)]
    costs = [part.cost_usd for part in parts if part.cost_usd is not None]
    return Usage(
        requests=sum(part.requests for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost_usd=sum(costs) if costs else None,
    )


def _context(options: AgentOptions, *, check: bool) -> AgentContext:
    context = AgentContext(
        model=options.model,
        base_url=options.base_url,
        key_variable=options.key_variable,
        seed=options.seed,
        max_tokens=options.model_tokens,
        max_cost_usd=options.model_cost_usd,
        log=options.log,
        request_timeout_s=options.request_timeout_s,
        seconds_left=options.seconds_left,
        say=options.say,
    )
    if not options.model:
        return context
    require(agent_spec("reward_agents", MODEL).needs, f"The model `{options.model}`")
    from rpent_robosmith.agents.model import ModelClient  # noqa: PLC0415  (only with a model)

    client = ModelClient(context)
    if check:
        client.check()
    return replace(context, client=client)


def _intake(context: AgentContext) -> IntakeAgent:
    if context.client is None:
        from rpent_robosmith.agents.intake_rules import RuleIntake  # noqa: PLC0415

        return RuleIntake()
    from rpent_robosmith.agents.model_intake import ModelIntake  # noqa: PLC0415

    return ModelIntake(context)


def _made(kind: str, spec: RewardAgentSpec | DecisionAgentSpec, context: AgentContext) -> Any:
    what = f"{_KINDS[kind]} `{spec.name}`"
    return load_named(spec.agent, what)(context)
