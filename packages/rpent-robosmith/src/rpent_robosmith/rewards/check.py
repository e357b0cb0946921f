"""The static check of reward code: what it says is looked at before it is ever run.

It finds mistakes early and in words that help whoever wrote the code. It is not the fence around hostile code; that is
the sealed worker (`rpent_robosmith.worker.sandbox`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from rpent_robosmith.rewards.contract import (
    BUILTINS,
    FUNCTION,
    IMPORTABLE,
    MAX_CODE_CHARACTERS,
    MODULES,
    PARAMETERS,
    TYPING,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_STATEMENTS = {
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "an async function",
    ast.With: "a `with` statement",
    ast.AsyncWith: "a `with` statement",
    ast.AsyncFor: "an async loop",
    ast.Await: "an `await`",
    ast.Yield: "a `yield`",
    ast.YieldFrom: "a `yield`",
    ast.Global: "a `global` statement (a reward keeps no state)",
    ast.Nonlocal: "a `nonlocal` statement (a reward keeps no state)",
}
_FORMATTING = frozenset(("format", "format_map", "vformat"))
_REFUSED_WORDS = (
    "DataSource array2string char compat core ctypes ctypeslib distutils dtypes dump dumps emath exceptions f2py "
    "fromfile frompyfunc fromregex genfromtxt lib load loads loadtxt ma matlib memmap nested_iters polynomial random "
    "rec save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall strings test testing "
    "tofile typing"
)
_NUMPY_REFUSED = frozenset(_REFUSED_WORDS.split())
"""Attributes of numpy and its arrays that touch files, other modules, random numbers or global settings."""
_MAX_PROBLEMS = 10


def check_reward(code: str) -> list[str]:
    """Return what is wrong with a reward's code, in sentences; an empty list is a pass. Nothing is run."""
    if len(code) > MAX_CODE_CHARACTERS:
        return [f"The code has {len(code)} characters; at most {MAX_CODE_CHARACTERS} are accepted."]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return [f"The code is no Python ({getattr(error, 'msg', error)}{f', line {line}' if line else ''})."]
    try:
        found = [*_signature(tree), *_refused(tree), *_unknown(tree)]
    except RecursionError:
        return ["The code is nested too deeply."]
    return found[:_MAX_PROBLEMS]


def _signature(tree: ast.Module) -> Iterator[str]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == FUNCTION]
    if len(functions) != 1:
        yield f"The code must define exactly one function `{FUNCTION}`; it defines {len(functions)}."
        return
    arguments = functions[0].args
    names = tuple(item.arg for item in (*arguments.posonlyargs, *arguments.args))
    extra = arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
    if names != PARAMETERS or extra:
        yield f"`{FUNCTION}` must take exactly ({', '.join(PARAMETERS)})."
    if functions[0].decorator_list:
        yield f"`{FUNCTION}` must have no decorator."
    if not any(isinstance(node, ast.Return) and node.value for node in ast.walk(functions[0])):
        yield f"`{FUNCTION}` returns nothing; it must return the reward and a dict of its components."


def _refused(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        where = f" (line {getattr(node, 'lineno', '?')})"
        if type(node) in _STATEMENTS:
            yield f"The code has {_STATEMENTS[type(node)]}{where}, which a reward must not."
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node, where)
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node, where)
        elif isinstance(node, ast.ExceptHandler) and _catches_all(node):
            yield f"The code catches everything{where}; name the exceptions, such as `except ZeroDivisionError`."


def _imports(node: ast.Import | ast.ImportFrom, where: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
        refused = set(modules) - IMPORTABLE | {"typing"}
    else:
        modules = [node.module or "."] if not node.level else ["."]
        refused = set(modules) - IMPORTABLE
        if not refused:
            yield from _names_from(modules[0], [alias.name for alias in node.names], where)
    for name in modules:
        if name in refused:
            yield f"The code imports `{name}`{where}; a reward may import only {_listed(MODULES)}."


def _names_from(module: str, names: list[str], where: str) -> Iterator[str]:
    allowed = {"typing": TYPING, "__future__": frozenset(("annotations",))}.get(module)
    for name in names:
        sound = (
            name in allowed if allowed else not name.startswith("_") and name not in {"*", *_NUMPY_REFUSED}
        )
        if not sound:
            yield f"The code imports `{name}` from `{module}`{where}, which a reward must not."


def _attribute(node: ast.Attribute, where: str) -> Iterator[str]:
    if node.attr.startswith("_"):
        yield f"The code uses the private attribute `{node.attr}`{where}, which a reward must not."
    elif node.attr in _FORMATTING:
        yield f"The code uses `.{node.attr}`{where}; an f-string does the same."
    elif node.attr in _NUMPY_REFUSED:
        yield f"The code uses `.{node.attr}`{where}, which a reward must not."
    elif not isinstance(node.ctx, ast.Load):
        yield f"The code sets the attribute `{node.attr}`{where}; a reward keeps no state."


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(node, ast.Name) and node.id == "BaseException" for node in ast.walk(handler.type))


def _unknown(tree: ast.Module) -> Iterator[str]:
    """Yield names that are used and that nothing gives: mostly builtins that a reward does not have."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not _loads(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and _loads(node) and node.id not in bound and node.id not in BUILTINS:
            yield f"The code uses `{node.id}` (line {node.lineno}), which a reward does not have."
    for name in sorted(bound):
        if name.startswith("__"):
            yield f"The code names something `{name}`, which a reward must not."


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(f"`{name}`" for name in names)
