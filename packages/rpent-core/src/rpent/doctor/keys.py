"""Are the keys of language-model providers there? They are never printed."""

from __future__ import annotations

import os

from rpent.doctor.plugins import usable
from rpent.specs import CheckResult, DoctorCheck
from rpent.suggest import listing

PROVIDERS = {
    "ANTHROPIC_API_KEY": "Anthropic",
    "ANTHROPIC_AUTH_TOKEN": "Anthropic",
    "CLAUDE_CODE_OAUTH_TOKEN": "Anthropic",
    "OPENAI_API_KEY": "OpenAI",
    "GOOGLE_API_KEY": "Google",
    "GEMINI_API_KEY": "Google",
    "OPENROUTER_API_KEY": "OpenRouter",
    "GROQ_API_KEY": "Groq",
    "MISTRAL_API_KEY": "Mistral",
    "XAI_API_KEY": "xAI",
}


def model_planners() -> list[str]:
    """Return the installed planners that call a language model."""
    return [entry.name for entry, spec in usable("planners") if spec.uses_model]


def check_keys() -> CheckResult:
    """Look for the environment variables that the providers' clients read."""
    present = [name for name in PROVIDERS if os.environ.get(name)]
    planners = model_planners()
    if present:
        return CheckResult(
            status="ok", message=f"Set: {', '.join(present)}. `rpent check planner NAME` tries one."
        )
    if not planners:
        return CheckResult(
            status="skip",
            message="No installed planner calls a language model.",
        )
    return CheckResult(
        status="warn",
        message=f"No provider's key is set: {listing(planners)} can call a model on a server of your own only "
        "(`--base-url`).",
        remedy="export ANTHROPIC_API_KEY=...",
    )


CHECK = DoctorCheck(name="keys", summary="A language model can be called.", run=check_keys)
