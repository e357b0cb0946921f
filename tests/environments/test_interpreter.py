import sys

import pytest
from rpent.environments.interpreter import Interpreter, choose, missing_modules
from rpent.environments.managed import ManagedEnvironment
from rpent.errors import EnvironmentSetupError, UsageError
from rpent.specs import EnvironmentSpec

SIMULATOR = EnvironmentSpec(name="simulator", probe="no_such_simulator", extra="server")
OWNER = "rpent-robot-libero"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def test_a_service_without_an_environment_runs_in_the_current_interpreter():
    assert choose(None, python=None, distribution=OWNER) == Interpreter(sys.executable)


def test_the_current_interpreter_is_taken_when_it_has_what_is_needed():
    spec = EnvironmentSpec(name="simulator", probe="numpy")
    assert choose(spec, python=None, distribution=OWNER).overlay is None


def test_neither_environment_nor_extra_names_both_remedies():
    with pytest.raises(
        EnvironmentSetupError, match=r"`simulator` is not set up.*no `no_such_simulator`"
    ) as caught:
        choose(SIMULATOR, python=None, distribution=OWNER)
    assert caught.value.hint == "rpent env sync simulator or pip install 'rpent-robot-libero[server]'"


def test_a_built_environment_comes_before_the_current_interpreter(tmp_path):
    spec = EnvironmentSpec(name="simulator", probe="numpy")
    managed = ManagedEnvironment(spec, distribution=OWNER)
    managed.python.parent.mkdir(parents=True)
    managed.python.symlink_to(sys.executable)
    managed._write_record(1.0)
    chosen = choose(spec, python=None, distribution=OWNER)
    assert chosen.python == str(managed.python)
    assert chosen.overlay is not None


def test_a_chosen_interpreter_gets_the_overlay():
    chosen = choose(None, python=sys.executable, distribution=OWNER)
    assert chosen.python == sys.executable
    assert chosen.environ()["PYTHONPATH"] == str(chosen.overlay)


def test_an_interpreter_that_does_not_exist_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="is not an executable file"):
        choose(None, python=str(tmp_path / "python"), distribution=OWNER)


def test_something_that_is_no_interpreter_is_refused(tmp_path):
    with pytest.raises(UsageError, match="does not work as a Python interpreter"):
        choose(None, python=script(tmp_path / "python", "#!/bin/sh\nexit 3\n"), distribution=OWNER)


def test_an_old_interpreter_is_refused_with_its_version(tmp_path):
    old = script(tmp_path / "python", "#!/bin/sh\necho '[[3, 9], []]'\n")
    with pytest.raises(UsageError, match=r"is Python 3\.9; services need 3\.11"):
        choose(None, python=old, distribution=OWNER)


def test_what_an_interpreter_lacks_is_named():
    assert missing_modules(sys.executable, ["numpy", "no_such_module"]) == ["no_such_module"]
    with pytest.raises(EnvironmentSetupError, match="lacks `no_such_simulator`"):
        choose(SIMULATOR, python=sys.executable, distribution=OWNER)


def test_the_environment_of_a_service_holds_no_keys_of_the_agent(monkeypatch):
    monkeypatch.setenv("RPENT_TOKEN", "secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("HF_HOME", "/models")
    environ = Interpreter(sys.executable).environ({"EXTRA": "1"})
    assert "secret" not in environ.values()
    assert environ["HF_HOME"] == "/models"
    assert environ["EXTRA"] == "1"
