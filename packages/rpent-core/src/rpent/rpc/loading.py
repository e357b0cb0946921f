"""What a service says while it starts: lines of its log that whoever starts it shows to the user."""

from __future__ import annotations

LOADING = "loading: "
"""How such a line begins."""


def say_loading(stage: str, fraction: float | None = None) -> None:
    """Print one line about what is being done; a `rpent.policies.api.Report`.

    Args:
        stage: `loading the weights`.
        fraction: How much of the whole is done, 0 to 1.
    """
    part = "" if fraction is None else f" ({min(max(fraction, 0.0), 1.0):.0%})"
    print(f"{LOADING}{stage.strip()}{part}", flush=True)  # noqa: T201  (this is the service's log)
