"""The generated wrapper: a plain Python file, which is fixed code and a loader for the policy's format."""

from __future__ import annotations

import ast
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.report import Compatibility
    from rpent_robosmith.inspect.api import ArtefactFacts

_HOME = "rpent_robosmith.worker.wrapper"
_PARTS = ("error", "scaling", "orientation", "pictures", "inputs", "answers", "adapter")
"""The fixed code, each part after those that it imports."""
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
    modules = [_read(part) for part in (*_PARTS, *([loader] if loader else []))]
    imports = sorted(
        {line for text in modules for line in _imports(text)}, key=lambda line: (line[0] == "f", line)
    )
    own = [line for line in imports if line.split()[1].partition(".")[0] in sys.stdlib_module_names]
    others = [line for line in imports if line not in own]
    head = [
        _header(policy, report),
        "\n",
        *(f"{line}\n" for line in own),
        "\n",
        *(f"{line}\n" for line in others),
    ]
    return "".join([*head, *(_body(text, constants) for text in modules), _FOOTER if loader else ""])


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


def _read(module: str) -> str:
    return files(_HOME).joinpath(f"{module}.py").read_text(encoding="utf-8")


def _imports(text: str) -> Iterator[str]:
    """Yield a module's imports, but for those of the other parts: they are one file here."""
    for node in ast.parse(text).body:
        own = isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("__future__", _HOME))
        if isinstance(node, ast.Import | ast.ImportFrom) and not own:
            yield ast.unparse(node)


def _body(text: str, constants: dict[str, Any]) -> str:
    """Return a module's text without its docstring and imports, its constants replaced."""
    lines = text.splitlines(keepends=True)
    for index, node in enumerate(ast.parse(text).body):
        docstring = index == 0 and isinstance(node, ast.Expr)
        named = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        name = node.targets[0].id if named else ""  # type: ignore[attr-defined]
        if docstring or isinstance(node, ast.Import | ast.ImportFrom) or name in constants:
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
        if name in constants:
            lines[node.lineno - 1] = f"{name} = {constants[name]!r}\n"
    return "\n\n" + "".join(lines).strip("\n") + "\n"
