"""A run, and `rpent doctor`, say beforehand that the kitchen assets are missing."""

import pytest
from rpent.errors import EnvironmentSetupError
from rpent_robot_robocasa.assets import check
from rpent_robot_robocasa.assets.package import SimulatorPackage
from rpent_robot_robocasa.config import EnvServerConfig


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A simulator that is installed, and no assets."""
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RPENT_ROBOCASA_ASSETS_DIR", str(tmp_path / "real"))
    package = SimulatorPackage(root=tmp_path / "robocasa", version="1.0.1")
    monkeypatch.setattr(check, "managed_package", lambda: package)


@pytest.mark.parametrize(
    ("wanted", "command"), [("auto", "placeholder"), ("placeholder", "placeholder"), ("real", "fetch")]
)
def test_missing_assets_are_named_with_the_command_that_gets_them(bare, wanted, command):
    with pytest.raises(EnvironmentSetupError, match="kitchen assets") as caught:
        check.check(EnvServerConfig(assets=wanted))
    assert f"rpent robocasa assets {command}" in caught.value.hint


def test_a_folder_is_the_servers_business(bare, tmp_path):
    check.check(EnvServerConfig(assets=str(tmp_path)))


def test_without_a_managed_simulator_nothing_can_be_said(monkeypatch):
    monkeypatch.setattr(check, "managed_package", lambda: None)
    check.check(EnvServerConfig(assets="real"))
    assert check.diagnosis().status == "skip"


def test_the_doctor_says_it_too(bare):
    found = check.diagnosis()
    assert found.status == "warn"
    assert "rpent robocasa assets placeholder" in found.remedy
