"""Loads plugins in a process of its own: `python -m rpent.plugins.probe KIND/DISTRIBUTION:NAME ...`.

One JSON line goes out for each plugin as soon as it is known, so that the caller can tell which one hung or
took the process down. Whatever the plugins print goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rpent.plugins import registry
from rpent.plugins.failure import LoadFailure

if TYPE_CHECKING:
    from types import ModuleType

    from rpent.plugins.index import Entry


def find(address: str) -> Entry | None:
    """Return the entry of `kind/distribution:name`."""
    kind, _, qualified = address.partition("/")
    claims = registry.current().index.claims(kind, qualified)
    return claims[0] if claims else None


def report(entry: Entry) -> dict[str, Any]:
    """Load one plugin and say what came of it."""
    found = registry.current()
    modules, start = len(sys.modules), time.perf_counter()
    loaded = found.try_entry(entry)
    facts: dict[str, Any] = {
        "import_ms": round((time.perf_counter() - start) * 1000, 1),
        "modules_added": len(sys.modules) - modules,
        "output": found.loader.output.get(entry.module, ""),
    }
    if isinstance(loaded, LoadFailure):
        return {**facts, "error": asdict(loaded)}
    module = sys.modules[entry.module]
    summary = getattr(loaded, "summary", None) or (module.__doc__ or "").partition("\n")[0]
    return {
        **facts,
        "plugin_api": getattr(module, "PLUGIN_API", None),
        "hooks": hooks_of(module),
        "summary": summary,
        "docs_url": getattr(loaded, "docs_url", ""),
    }


def hooks_of(module: ModuleType) -> list[str]:
    """Return the names of the hooks that a module implements."""
    callers = registry.current().loader.manager.get_hookcallers(module) or []
    return sorted(caller.name for caller in callers)


def main() -> None:
    """Report on each plugin that the arguments name."""
    os.environ.pop("RPENT_STRICT_PLUGINS", None)
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    registry.current().loader  # noqa: B018  (core's own modules are not the plugin's)
    for address in sys.argv[1:]:
        entry = find(address)
        facts = report(entry) if entry else {}
        results.write(json.dumps(facts) + "\n")
        results.flush()


if __name__ == "__main__":
    main()
