"""The generated wrapper: a plain Python file, which is fixed code and a loader for the policy's format."""

from __future__ import annotations

import ast
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

if TYPE_CHECKING:
    from rpent_robosmith.compatibility.report import Compatibility
    from rpent_robosmith.inspect.api import ArtefactFacts

_HOME = "rpent_robosmith.worker.wrapper"
LOADERS = {"sb3": "load_sb3", "robosmith": "load_robosmith", "onnx": "load_onnx", "lerobot": "load_lerobot"}
_HEADER = '''"""{title}

Made by `rpent smith integrate`. Everything that is particular to the two is in `mapping.json` beside this file.

    wrapper = load({policy!r})
    wrapper.reset()
    action = wrapper.act(observation{instruction})
{repairs}"""

from __future__ import annotations
'''
_FOOTER = '''

def load(path: str, mapping: dict[str, Any] | str | Path | None = None) -> Wrapper:
    """Load the policy and put it into the target's terms.

    Args:
        path: The policy.
        mapping: As of `Wrapper`.
    """
    return Wrapper(load_policy(path), mapping)
'''


def wrapper_source(policy: ArtefactFacts, report: Compatibility) -> str:
    """Return the text of `wrapper.py`.

    Args:
        policy: The policy; a plugin's own format has no loader, and its wrapper takes any callable.
        report: The comparison.

    Raises:
        UsageError: It is no policy.
    """
    if policy.kind != "policy":
        raise UsageError(f"A wrapper is made of a policy; `{policy.id}` is a {policy.kind}.")
    constants = _constants(policy)
    loader = LOADERS.get(policy.format)
    parts = [_header(policy, report), _body("adapter", {})]
    if loader is not None:
        parts += [_body(loader, constants), _FOOTER]
    return "".join(parts)


def _constants(policy: ArtefactFacts) -> dict[str, Any]:
    if policy.format == "sb3":
        return {"ALGORITHM": policy.algorithm or "ppo"}
    if policy.format == "onnx":
        return {"OUTPUT": next(iter(policy.action))}
    return {}


def _header(policy: ArtefactFacts, report: Compatibility) -> str:
    made = [f"    {name}: {', '.join(keys) or 'in use'}" for name, keys in repaired(report).items()]
    warning = "Repairs that were asked for, each of which may make it act wrongly:"
    stated = _flat_lines(["", warning, "", *made, ""]) if made else ""
    return _HEADER.format(
        title=_flat(f"`{policy.id}` for `{report.target}`."),
        policy=_flat(policy.id),
        instruction=', "what to do"' if policy.language else "",
        repairs=stated,
    )


def repaired(report: Compatibility) -> dict[str, list[str]]:
    """Return each repair in use → what it was made on."""
    made = [issue for issue in report.issues if issue.handled == "repair"]
    return {
        name: sorted({issue.policy or issue.target for issue in made if issue.repair == name})
        for name in report.mapping.repairs
    }


def _flat(text: str) -> str:
    """Return text that can neither end a docstring nor begin an escape in one."""
    return " ".join(text.split()).replace("\\", "/").replace('"""', "'''")


def _flat_lines(lines: list[str]) -> str:
    return "\n".join("    " * line.startswith(" ") + _flat(line) if line.strip() else "" for line in lines)


def _body(module: str, constants: dict[str, Any]) -> str:
    """Return a module's text without its docstring and future import, its constants replaced."""
    text = files(_HOME).joinpath(f"{module}.py").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    for index, node in enumerate(tree.body):
        docstring = index == 0 and isinstance(node, ast.Expr)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        name = node.targets[0].id if named else ""  # type: ignore[attr-defined]
        if docstring or future or name in constants:
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
        if name in constants:
            lines[node.lineno - 1] = f"{name} = {constants[name]!r}\n"
    return "\n\n" + "".join(lines).strip("\n") + "\n"
