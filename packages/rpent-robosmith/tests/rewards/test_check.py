"""The static check: what passes, and what is refused with which words."""

from __future__ import annotations

import pytest
from rpent_robosmith.rewards.check import check_reward

HEAD = "import numpy as np\nimport math\n"


def reward(
    body: str = "return 0.0, {}", *, before: str = "", parameters: str = "obs, action, next_obs, info"
) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{HEAD}{before}\ndef compute_reward({parameters}):\n{lines}\n"


GOOD = {
    "nothing": reward(),
    "numbers": reward("x = float(np.linalg.norm(next_obs[:3]))\nreturn -x, {'distance': -x}"),
    "helper": reward(
        "return near(obs), {}", before="SCALE = 2.0\ndef near(x):\n    return math.exp(-SCALE * x[0])\n"
    ),
    "f-string": reward("return 0.0, {f'joint {i}': float(v) for i, v in enumerate(obs)}"),
    "annotations": reward(parameters="obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray, info: dict"),
    "named exception": reward(
        "try:\n    r = 1 / obs[0]\nexcept ZeroDivisionError as error:\n    r = 0.0\nreturn r, {}"
    ),
    "match": reward(
        "match obs:\n    case {'goal': goal, **rest}:\n        return 1.0, {}\n    case _:\n        return 0.0, {}"
    ),
    "lambda": reward("f = lambda x, *y: x\nreturn f(0.0), {}"),
    "from import": "from math import sqrt as root\nfrom numpy.linalg import norm\n"
    + reward("return root(norm(obs)), {}"),
    "docstring": '"""A reward."""\n' + reward('"""Reward it."""\nreturn 0.0, {}'),
    "annotations as models write them": "from __future__ import annotations\nfrom typing import Any, Dict, Tuple\n"
    + reward(),
}


@pytest.mark.parametrize("name", GOOD)
def test_sound_code_passes(name: str) -> None:
    assert check_reward(GOOD[name]) == []


BAD = {
    "no python": ("def compute_reward(:", "no Python"),
    "null byte": ("a = '\0'", "no Python"),
    "no function": ("x = 1", "exactly one function `compute_reward`; it defines 0"),
    "two functions": (reward() + reward(), "it defines 2"),
    "a class instead": (HEAD + "compute_reward = int", "it defines 0"),
    "parameters": (reward(parameters="obs, action"), "must take exactly"),
    "defaults": (reward(parameters="obs, action, next_obs, info={}"), "must take exactly"),
    "extra": (reward(parameters="obs, action, next_obs, info, *more"), "must take exactly"),
    "no return": (reward("pass"), "returns nothing"),
    "import os": (reward(before="import os\n"), "imports `os`"),
    "import inside": (reward("import subprocess as np\nreturn 0.0, {}"), "imports `subprocess`"),
    "import caller": (
        reward(before="import rpent_robosmith.workflow\n"),
        "imports `rpent_robosmith.workflow`",
    ),
    "import relative": (reward(before="from . import workflow\n"), "imports `.`"),
    "import numpy's": (reward(before="import numpy.ctypeslib\n"), "imports `numpy.ctypeslib`"),
    "from numpy": (reward(before="from numpy import load\n"), "imports `load`"),
    "typing": ("from typing import sys\n" + reward(), "imports `sys` from `typing`"),
    "the whole of typing": ("import typing\n" + reward(), "imports `typing`"),
    "future": ("from __future__ import barry_as_FLUFL\n" + reward(), "imports `barry_as_FLUFL`"),
    "star": (reward(before="from numpy import *\n"), "imports `*`"),
    "open": (reward("open('/etc/passwd')\nreturn 0.0, {}"), "uses `open`"),
    "eval": (reward("return eval('1'), {}"), "uses `eval`"),
    "getattr": (reward("return getattr(obs, 'x'), {}"), "uses `getattr`"),
    "dunder attribute": (reward("return 0.0, {}.__class__"), "private attribute `__class__`"),
    "dunder name": (reward("return __builtins__, {}"), "uses `__builtins__`"),
    "private": (reward("return np._core, {}"), "private attribute `_core`"),
    "format": (reward("return 0.0, {'{0.__class__}'.format(obs): 1.0}"), ".format`"),
    "np.load": (reward("return np.load('x'), {}"), ".load`"),
    "np.random": (reward("return np.random.rand(), {}"), ".random`"),
    "tofile": (reward("obs.tofile('x')\nreturn 0.0, {}"), ".tofile`"),
    "ctypes": (reward("return obs.ctypes.data, {}"), ".ctypes`"),
    "set attribute": (reward("np.pi = 3\nreturn 0.0, {}"), "sets the attribute `pi`"),
    "keeps state": (reward("compute_reward.last = obs\nreturn 0.0, {}"), "sets the attribute `last`"),
    "global": (reward("global x\nx = 1\nreturn 0.0, {}", before="x = 0\n"), "`global` statement"),
    "class": (reward(before="class A:\n    pass\n"), "has a class"),
    "with": (reward("with obs:\n    return 0.0, {}"), "has a `with` statement"),
    "yield": (reward("yield 1\nreturn 0.0, {}"), "has a `yield`"),
    "bare except": (reward("try:\n    return 1.0, {}\nexcept:\n    return 0.0, {}"), "catches everything"),
    "base exception": (
        reward("try:\n    return 1.0, {}\nexcept (KeyError, BaseException):\n    return 0.0, {}"),
        "catches",
    ),
    "decorator": (reward().replace("def ", "@np.vectorize\ndef "), "no decorator"),
    "long": (reward("x = 1\n" * 9000 + "return 0.0, {}"), "at most 20000"),
    "deep": (reward("return " + "(" * 5000 + ")" * 5000 + ", {}"), ""),
    "deep attributes": (reward("return obs" + ".T" * 8000 + ", {}"), ""),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_reward_must_not_do_is_named(name: str) -> None:
    code, words = BAD[name]
    problems = check_reward(code)
    assert problems
    assert any(words in problem for problem in problems), problems


def test_few_problems_are_told_at_once() -> None:
    assert (
        len(check_reward(reward("\n".join(f"x{i} = open({i})" for i in range(50)) + "\nreturn 0.0, {}")))
        == 10
    )
