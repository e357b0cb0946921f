from pathlib import Path

from rpent.services.request import HostJob


def test_a_job_survives_its_line():
    job = HostJob(
        name="env",
        factory="a:b",
        config_model="a:C",
        config={"task": 3, "names": ["x\ny"]},
        token="secret",
        bind=("zmq+ipc:///tmp/x.sock", "http://127.0.0.1:0"),
        cleanup=("/tmp/x",),
    )
    line = job.to_line()
    assert line.count(b"\n") == 1
    assert HostJob.from_line(line) == job


def test_a_path_becomes_text():
    job = HostJob(name="env", factory="a:b", config_model="a:C", config={"p": Path("/x")}, token="t", bind=())
    assert HostJob.from_line(job.to_line()).config == {"p": "/x"}
