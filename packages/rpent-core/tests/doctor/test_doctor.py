import json
import socket

import pytest
from rpent.doctor import bytecode, environments, interpreter, keys, modules, network, rendering, runner
from rpent.doctor import plugins as plugin_checks
from rpent.errors import ExitCode
from rpent.specs import CheckResult, DoctorCheck


@pytest.fixture(autouse=True)
def fresh_records(plugin_environment):
    plugin_checks._checked.cache_clear()
    yield
    plugin_checks._checked.cache_clear()


def doctor(run_cli, *args):
    plugin_checks._checked.cache_clear()
    result = run_cli("doctor", *args, "--json")
    found = json.loads(result.stdout)
    assert found["schema"] == 1
    return result, {row["name"]: row for row in found["checks"]}


def test_a_broken_plugin_has_its_reason_and_the_rest_goes_on(plugin_site, run_cli):
    plugin_site.add_robot("fails", source="import no_such_module")
    result, found = doctor(run_cli)
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert found["plugins/rpent-robot-fails"]["status"] == "fail"
    assert "needs the module `no_such_module`" in found["plugins/rpent-robot-fails"]["message"]
    assert found["plugins/rpent-robot-fails"]["remedy"] == "pip install no_such_module"
    assert found["plugins/rpent-core"]["status"] == "ok"


def test_every_fault_says_what_mends_it(plugin_site, run_cli):
    plugin_site.add_robot("fails", source="1/0")
    _, found = doctor(run_cli)
    assert all(row["remedy"] for row in found.values() if row["status"] in {"warn", "fail"})


@pytest.mark.parametrize("name", ["walker", "rpent-robot-walker", "plugins/rpent-robot-walker"])
def test_a_name_picks_checks(plugin_site, run_cli, name):
    plugin_site.add_robot("walker")
    _, found = doctor(run_cli, name)
    assert list(found) == ["plugins/rpent-robot-walker"]


def test_an_unknown_name_is_refused(run_cli):
    result = run_cli("doctor", "prots")
    assert result.exit_code == ExitCode.USAGE
    assert "did you mean `ports`?" in result.stderr


CHECKS = """
    from rpent.api import CheckResult, DoctorCheck, hookimpl
    PLUGIN_API = 1
    state = {{"mended": False}}

    def run():
        {body}

    def fix():
        state["mended"] = True

    @hookimpl
    def rpent_doctor_checks():
        yield DoctorCheck(name="walker/firmware", summary="s", run=run, fix=fix)
    """


def add_checks(plugin_site, body):
    plugin_site.add(
        "rpent-walker",
        entry_points={"rpent.plugins": {"walker": "walker_checks"}},
        modules={"walker_checks.py": CHECKS.format(body=body)},
    )


def test_a_plugin_brings_checks(plugin_site, run_cli):
    add_checks(plugin_site, "return CheckResult(status='ok', message='Current.')")
    _, found = doctor(run_cli, "walker/firmware")
    assert found["walker/firmware"]["message"] == "Current."


def test_a_check_that_raises_is_a_failed_check(plugin_site, run_cli):
    add_checks(plugin_site, "raise OSError('no bus')")
    result, found = doctor(run_cli, "walker/firmware")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "OSError" in found["walker/firmware"]["message"]


def test_fix_mends_and_checks_again(plugin_site, run_cli):
    add_checks(
        plugin_site, "return CheckResult(status='ok' if state['mended'] else 'fail', message='m', remedy='r')"
    )
    assert doctor(run_cli, "walker/firmware")[1]["walker/firmware"]["status"] == "fail"
    result, found = doctor(run_cli, "walker/firmware", "--fix")
    assert result.exit_code == 0
    assert found["walker/firmware"]["mended"] is True


def test_a_fix_that_fails_is_reported():
    def fail():
        raise OSError("read-only")

    bad = CheckResult(status="fail", message="Broken.", remedy="mend it")
    check = DoctorCheck(name="x", summary="s", run=lambda: bad, fix=fail)
    (report,) = runner.run_all([check], fix=True)
    assert report.result.message == "Broken. The fix failed: read-only"
    assert not report.mended


class TestModules:
    def test_two_owners_of_one_package_are_found(self, plugin_site):
        for name in ("acme-sim", "zeta-sim"):
            plugin_site.add(name, entry_points={}, modules={"simulator_x/__init__.py": ""})
        result = modules.check_owners()
        assert result.status == "fail"
        assert "`simulator_x` belongs to `acme-sim` and `zeta-sim`" in result.message
        assert "pip uninstall -y" in result.remedy

    def test_this_environment_is_clean(self):
        assert modules.check_owners().status == "ok"


class TestEntryPoints:
    def test_a_change_after_installation_is_found(self, plugin_site, tmp_path):
        plugin_site.add_robot("walker")
        source = tmp_path / "walker"
        source.mkdir()
        (source / "pyproject.toml").write_text(
            '[project.entry-points."rpent.robots"]\nrunner = "rpent_robot_walker"\n'
        )
        info = next(plugin_site.path.glob("*.dist-info"))
        direct = {"url": f"file://{source}", "dir_info": {"editable": True}}
        (info / "direct_url.json").write_text(json.dumps(direct))
        result = plugin_checks.check_entry_points()
        assert result.status == "fail"
        assert "`robots.runner`, `robots.walker`" in result.message
        assert result.remedy == f"pip install --no-deps --editable {source}"

    def test_a_module_that_is_gone_is_found(self, plugin_site, run_cli):
        plugin_site.add_robot("walker")
        (plugin_site.path / "rpent_robot_walker.py").unlink()
        _, found = doctor(run_cli, "walker")
        assert (
            "names the module `rpent_robot_walker`, which is not there"
            in (found["plugins/rpent-robot-walker"]["message"])
        )


def test_requirements_that_do_not_fit_are_found(plugin_site):
    plugin_site.add("rpent-extra", entry_points={}, modules={}, requires=["rpent-core>=99"])
    result = plugin_checks.check_requirements()
    assert result.status == "fail"
    assert "`rpent-extra` 1.0.0 needs `rpent-core>=99`" in result.message


def test_ports(monkeypatch):
    assert network.check_ports().status == "ok"

    def refuse(*_args, **_kwargs):
        raise OSError(99, "Cannot assign requested address")

    monkeypatch.setattr(network, "exchange", refuse)
    assert network.check_ports().status == "fail"
    assert issubclass(socket.socket, object)


def test_bytecode(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    result = bytecode.check_bytecode()
    assert (result.status, result.remedy) == ("warn", "unset PYTHONDONTWRITEBYTECODE")


def test_python(monkeypatch):
    assert interpreter.check_python().status == "ok"
    monkeypatch.setattr(interpreter, "MINIMUM", (4, 0))
    assert interpreter.check_python().remedy == "uv venv --python 4.0"


def test_keys_are_never_printed(monkeypatch, plugin_site):
    for name in keys.PROVIDERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(keys, "model_planners", lambda: ["api"])
    assert keys.check_keys().status == "warn"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret")
    result = keys.check_keys()
    assert result.status == "ok"
    assert "very-secret" not in result.message


def test_rendering_without_libraries(monkeypatch):
    monkeypatch.setattr(rendering, "LIBRARIES", {"egl": ("libNoSuchThing.so.1",)})
    result = rendering.check_rendering()
    assert result.status == "fail"
    assert result.remedy.startswith("sudo apt-get install")


ROBOT_WITH_ENVIRONMENT = """
    from rpent.api import EnvironmentSpec, RobotSpec, ServiceSpec, hookimpl
    PLUGIN_API = 1
    ENVIRONMENT = EnvironmentSpec(name="walker-sim", probe="no_such_sim", requirements=("no-such-sim",))

    @hookimpl
    def rpent_robots():
        service = ServiceSpec(name="env", factory="a:b", config="a:c", environment=ENVIRONMENT)
        yield RobotSpec(name="walker", summary="s", robot="a:R", config="a:c", services=(service,))
    """


def test_a_missing_environment_is_found(plugin_site, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plugin_site.add_robot("walker", source=ROBOT_WITH_ENVIRONMENT)
    found = {check.name: check.run() for check in environments.checks()}
    assert found["env/walker-sim"].status == "warn"
    assert found["env/walker-sim"].remedy == "rpent env sync walker-sim"
