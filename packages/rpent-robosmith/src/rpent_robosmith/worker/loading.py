"""What plugins bring to a worker, made from its spec."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rpent.errors import PluginError

if TYPE_CHECKING:
    from rpent_robosmith.specs import Needs


def instance(kind: type[Any], import_string: str, needs: Needs, what: str) -> Any:
    """Import the class that a spec names, and make one.

    Args:
        kind: What it must be.
        import_string: `"package.module:Class"`.
        needs: What it needs, for the remedy.
        what: Whose it is: `` trainer `sb3` ``.

    Raises:
        PluginError: It cannot be imported here, or is something else.
    """
    module, _, attribute = import_string.partition(":")
    try:
        found = getattr(import_module(module), attribute)()
    except ImportError as error:
        raise PluginError(
            f"The {what} cannot be used in this interpreter: {error}.",
            hint=f"Install it: {needs.install}" if needs.install else None,
        ) from error
    if not isinstance(found, kind):
        raise PluginError(f"The {what} is no `{kind.__name__}`: `{import_string}`.")
    return found
