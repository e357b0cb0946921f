"""What `rpent doctor` says of torch builds."""

import sys

import pytest
from rpent.environments.catalog import DeclaredEnvironment
from rpent.specs import ServiceSpec
from rpent_torch import doctor
from rpent_torch.environments import TORCH, TRANSFORMERS


@pytest.fixture
def declared(tmp_path, monkeypatch):
    """The environment `transformers`, with a torch of the test's choice; nothing is imported."""
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    service = ServiceSpec(name="vla", environment=TRANSFORMERS)
    return DeclaredEnvironment(TRANSFORMERS, service, "rpent-torch", "pi0")


def build(declared, version, cuda="None"):
    managed = declared.managed
    managed.python.parent.mkdir(parents=True)
    managed.python.symlink_to(sys.executable)
    folder = managed.directory / "venv/lib/python3.11/site-packages/torch"
    folder.mkdir(parents=True)
    text = (
        f"__version__ = '{version}'\ndebug = False\ncuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n"
    )
    (folder / "version.py").write_text(text)
    managed._write_record(1.0)


def machine(monkeypatch, *, gpu, cuda=False, vision="native"):
    monkeypatch.setattr(doctor, "has_gpu", lambda: gpu)
    monkeypatch.setattr(doctor, "_probe", lambda declared: {"cuda": cuda, "vision": vision})


def test_one_that_is_not_built_is_passed_over(declared):
    assert doctor.check_torch(declared).status == "skip"


def test_a_cpu_build_beside_a_gpu_is_said_with_the_command(declared, monkeypatch):
    build(declared, "2.13.0+cpu")
    machine(monkeypatch, gpu=True)
    found = doctor.check_torch(declared)
    assert (found.status, found.remedy) == ("warn", "rpent env sync --torch-backend auto transformers")
    assert "torch 2.13.0+cpu (CPU build)" in found.message


def test_a_driver_that_is_too_old_is_said(declared, monkeypatch):
    build(declared, "2.13.0+cu130", cuda="'13.0'")
    machine(monkeypatch, gpu=True, cuda=False)
    found = doctor.check_torch(declared)
    assert found.status == "warn"
    assert "its driver may be older" in found.message


def test_a_cuda_build_without_a_gpu_is_only_a_note(declared, monkeypatch):
    build(declared, "2.13.0", cuda="'13.0'")
    machine(monkeypatch, gpu=False)
    found = doctor.check_torch(declared)
    assert found.status == "ok"
    assert found.message == (
        "torch 2.13.0 (CUDA 13.0); no GPU was found, so it computes on the CPU; torchvision loads."
    )


def test_another_version_than_was_asked_for_is_wrong(declared, monkeypatch):
    build(declared, "2.11.0")
    found = doctor.check_torch(declared)
    assert (found.status, found.remedy) == ("fail", "rpent env sync --rebuild transformers")
    assert "instead of `torch==2.13.0`" in found.message


def test_one_that_cannot_be_imported_says_why(declared):
    build(declared, "2.13.0")
    found = doctor.check_torch(declared)
    assert found.status == "fail"
    assert found.message.endswith("No module named 'torch'")
    assert found.remedy == "rpent env sync --rebuild transformers"


def test_there_is_a_check_for_each(monkeypatch, declared):
    plain = DeclaredEnvironment(TORCH, ServiceSpec(name="vla"), "rpent-torch", "bc")
    monkeypatch.setattr(doctor, "declared_environments", lambda: {"transformers": declared, "torch": plain})
    assert [check.name for check in doctor.checks()] == ["torch/transformers", "torch/torch"]
