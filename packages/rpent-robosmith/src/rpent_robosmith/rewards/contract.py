"""What a reward function is: its signature, what it may use, what it must return."""

from __future__ import annotations

FUNCTION = "compute_reward"
PARAMETERS = ("obs", "action", "next_obs", "info")

MAX_REWARD = 1e6
"""A larger reward, either way, is an error: it would drown every other and overflow a network."""
MAX_COMPONENTS = 32
MAX_COMPONENT_NAME = 64
MAX_CODE_CHARACTERS = 20_000

MODULES = ("math", "numpy")
"""What a reward may import; of numpy also `numpy.linalg`."""

TYPING = frozenset(("Any", "Dict", "List", "Optional", "Tuple", "Union"))
"""What it may import from `typing`, for annotations."""

IMPORTABLE = frozenset((*MODULES, "numpy.linalg", "typing", "__future__"))
"""Everything that an import in a reward may name."""

_BUILTINS = (
    "abs all any bool dict divmod enumerate filter float frozenset int isinstance iter len list map max min "
    "next pow range reversed round set slice sorted str sum tuple zip "
    "ArithmeticError AttributeError Exception FloatingPointError IndexError KeyError LookupError OverflowError "
    "TypeError ValueError ZeroDivisionError"
)
BUILTINS = frozenset(_BUILTINS.split())
"""The builtins that a reward has."""

CONTRACT = f"""\
def {FUNCTION}({", ".join(PARAMETERS)}) -> tuple[float, dict[str, float]]

- Called once for each step. `obs` is the observation before it, `next_obs` the one after it, `action` what was done:
  arrays of the environment's shapes and dtypes (a dict of arrays where the observation is one; an int where the
  action is discrete). All are copies and read-only.
- `info` is a copy of what the environment says of the step, with its own reward as `info["env_reward"]`, and
  `info["terminated"]` and `info["truncated"]`.
- Returns the reward, finite and within ±{MAX_REWARD:g}, and its components by name (at most {MAX_COMPONENTS} finite
  numbers; they are only measured).
- It may import {" and ".join(f"`{name}`" for name in MODULES)}, and define constants and other functions beside it. It
  reads no files, keeps no state between calls and uses no random numbers: the same step always gives the same reward.
"""
"""For whoever writes one, a model above all."""
