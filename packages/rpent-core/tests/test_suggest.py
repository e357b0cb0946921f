import importlib.util
import shutil

import pytest
from rpent.suggest import sentence, typeable


@pytest.mark.parametrize(
    ("pip", "uv", "typed"),
    [
        (False, True, "uv pip uninstall -y a && uv pip install b"),
        (True, True, "pip uninstall -y a && pip install b"),
        (False, False, "pip uninstall -y a && pip install b"),
    ],
)
def test_pip_commands_are_uvs_where_there_is_no_pip(monkeypatch, pip, uv, typed):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: (object() if pip else None) if name == "pip" else real(name)
    )
    monkeypatch.setattr(shutil, "which", lambda _: "uv" if uv else None)
    assert typeable("pip uninstall -y a && pip install b") == typed
    assert typeable("uv pip install x") == "uv pip install x"
    assert typeable("Install a pipe.") == "Install a pipe."


@pytest.mark.parametrize(("text", "expected"), [("no", "no."), ("no.", "no."), ("Did you?", "Did you?")])
def test_a_sentence_ends_once(text, expected):
    assert sentence(text) == expected
