"""From runs to a checkpoint: read, render, then train in an interpreter that has torch."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import threading
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.environments.interpreter import choose
from rpent.errors import PolicyError, UsageError
from rpent.specs import QUIET_THREADS
from rpent.suggest import listing
from rpent_torch.environments import TORCH

from rpent_policy_bc.checkpoint import Architecture, Description, read
from rpent_policy_bc.demonstrations import CALLS, one_task, read_run
from rpent_policy_bc.frames import View
from rpent_policy_bc.gathering import gather
from rpent_policy_bc.job import Progress, TrainingJob
from rpent_policy_bc.simulation import embodiment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.environments.interpreter import Interpreter
    from rpent.policies.embodiment import Embodiment
    from rpent.run.resolve import Registry

    from rpent_policy_bc.demonstrations import Recording
    from rpent_policy_bc.gathering import Gathered

DISTRIBUTION = "rpent-policy-bc"
STATE = ("eef_position", "eef_quaternion", "gripper_opening_m")
"""The state fields that every robot's observation has; a policy is shown those that the robot offers policies."""
SWITCHES = ("gripper",)
HELD_OUT_EVERY = 10
"""Each so-manieth demonstration is not learned from, where there are enough."""
_STOP_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What is to be trained."""

    out: Path
    calls: Sequence[str] = CALLS
    instruction: str | None = None
    frames: Path | None = None
    """Where the rendered frames are kept; None takes a folder beside `out`."""
    view: View = field(default_factory=View)
    after_steps: int = 12
    chunk_length: int = 16
    execute_steps: int = 8
    epochs: int = 60
    minutes: float | None = None
    seed: int = 0
    processes: int = 2
    python: str | None = None
    """Interpreter for the training."""
    env_python: str | None = None
    """Interpreter for the env servers."""

    @property
    def frames_folder(self) -> Path:
        """Where the rendered frames are kept."""
        return self.frames or self.out.with_name(f"{self.out.name}.frames")


@dataclass(frozen=True, kw_only=True, slots=True)
class Listener:
    """Who is told what happens."""

    say: Callable[[str], None] = lambda _: None
    rendered: Callable[[int, int], None] = lambda _done, _total: None
    trained: Callable[[Progress], None] = lambda _: None


def run_directories(paths: Sequence[Path]) -> list[Path]:
    """Return the run directories among paths, and inside those that are folders of runs; each once, in order.

    Raises:
        UsageError: A path is neither.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(child.parent for child in path.glob("*/run.json")) if path.is_dir() else []
        if not (path / "run.json").is_file() and not inside:
            raise UsageError(
                f"`{path}` is neither a run directory nor a folder of some.",
                hint="`rpent runs list` shows the runs.",
            )
        found += [path] if (path / "run.json").is_file() else inside
    return list(dict.fromkeys(run.absolute() for run in found))


def train(
    runs: Sequence[Path],
    plan: Plan,
    listener: Listener | None = None,
    registry: Registry | None = None,
) -> Description:
    """Train a policy and return its description.

    Args:
        runs: Run directories of one robot.
        plan: What is to be trained.
        listener: Who is told what happens.
        registry: Where the robot comes from; the installed plugins when None.

    Raises:
        UsageError: The runs cannot be learned from together, or hold nothing to learn.
        RunDirectoryError: One of them is damaged.
        EnvironmentSetupError: No interpreter with torch is there.
        ServiceError: An env server cannot be used.
        PolicyError: The training failed.
    """
    listener = listener or Listener()
    interpreter = choose(TORCH, python=plan.python, distribution=DISTRIBUTION)
    recordings = _read(runs, plan, listener)
    embodiment = embodiment_of(recordings[0], registry)
    _check_actions(recordings, embodiment)
    _check_writable(plan.frames_folder, "--frames")
    _check_writable(plan.out if plan.out.exists() else plan.out.absolute().parent, "--out")
    gathered = gather(
        recordings,
        embodiment,
        plan.view,
        plan.frames_folder,
        processes=plan.processes,
        env_python=plan.env_python,
        registry=registry,
        progress=listener.rendered,
    )
    run_training(_job(plan, embodiment, gathered), interpreter, listener.trained)
    return read(plan.out)


def run_training(
    job: TrainingJob, interpreter: Interpreter, trained: Callable[[Progress], None] = lambda _: None
) -> None:
    """Run the training process and pass on what it says; it ends with this call, however that ends.

    Raises:
        PolicyError: It failed.
    """
    with tempfile.TemporaryDirectory(prefix="rpent-bc-") as folder:
        path = Path(folder) / "job.json"
        path.write_text(job.model_dump_json(), encoding="utf-8")
        environ = interpreter.environ(dict(QUIET_THREADS))
        process = subprocess.Popen(
            [interpreter.python, "-m", "rpent_policy_bc.server.train", str(path)],
            stdin=subprocess.PIPE,  # when it closes, the process ends
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environ,
            start_new_session=True,
        )
        try:
            troubles = _follow(process, trained)
        finally:
            _stop(process)
    if process.returncode != 0:
        last = next((line.strip() for line in reversed(troubles) if line.strip()), "it said nothing")
        raise PolicyError(
            f"The training failed: {last}", hint="The frames are kept; the command may be repeated."
        )


def _check_writable(folder: Path, option: str) -> None:
    """Make a folder, and refuse one that nothing can be written into: it would show when the work is done.

    Raises:
        UsageError: Nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"Nothing can be written into `{folder}` ({error.strerror or error}).",
            hint=f"Choose another folder with `{option}`.",
        ) from error


def _read(runs: Sequence[Path], plan: Plan, listener: Listener) -> list[Recording]:
    """Read the runs, and leave out those without demonstrations."""
    every = [
        read_run(run, calls=plan.calls, instruction=plan.instruction, after_steps=plan.after_steps)
        for run in runs
    ]
    used = [recording for recording in every if recording.demonstrations]
    for recording in every:
        if not recording.demonstrations:
            listener.say(f"{recording.run.name} is left out: {recording.why_none}.")
    if not used:
        reasons = sorted({recording.why_none for recording in every})
        raise UsageError(
            f"None of {len(every)} runs holds a demonstration: {'; '.join(reasons)}.",
            hint="Record runs that succeed, and name the tools to learn from with `--calls`.",
        )
    one_task(used)
    count = sum(len(recording.demonstrations) for recording in used)
    steps = sum(len(demo.actions) for recording in used for demo in recording.demonstrations)
    listener.say(f"{count} demonstrations in {len(used)} of {len(every)} runs, {steps} control steps")
    told = sorted({demo.instruction for recording in used for demo in recording.demonstrations})
    if len(told) > 1:
        listener.say(
            f"They have {len(told)} instructions ({listing(told)}). The policy does not read its instruction: it "
            "learns them as one skill."
        )
    return used


def _check_actions(recordings: Sequence[Recording], embodiment: Embodiment) -> None:
    wanted = sum(part.length for part in embodiment.action.values())
    found = recordings[0].demonstrations[0].actions.shape[1]
    if found != wanted:
        raise UsageError(
            f"The recorded actions have {found} numbers; those of the robot `{embodiment.robot}` have {wanted}."
        )


def _job(plan: Plan, embodiment: Embodiment, gathered: Sequence[Gathered]) -> TrainingJob:
    held_out = gathered[::HELD_OUT_EVERY] if len(gathered) >= HELD_OUT_EVERY else []
    learned = [each for each in gathered if each not in held_out]
    files = sorted(path.name for each in gathered for path in each.files)
    demonstrations = [each.demonstration for each in gathered]
    facts: dict[str, Any] = {
        "instructions": sorted({demo.instruction for demo in demonstrations}),
        "calls": sorted({demo.call for demo in demonstrations}),
        "demonstrations": len(learned),
        "held_out_demonstrations": len(held_out),
        "runs": sorted({demo.run.name for demo in demonstrations}),
        "view": {name: getattr(plan.view, name) for name in View.__dataclass_fields__},
        "data_digest": hashlib.sha256("\n".join(files).encode()).hexdigest(),
    }
    return TrainingJob(
        out=plan.out.absolute(),
        description=Description(
            robot=embodiment.robot,
            control_rate_hz=embodiment.control_rate_hz,
            execute_steps=min(plan.execute_steps, plan.chunk_length),
            architecture=_architecture(plan, embodiment),
            training=facts,
        ),
        files=tuple(path.absolute() for each in learned for path in each.files),
        held_out=tuple(each.files[0].absolute() for each in held_out),
        epochs=plan.epochs,
        minutes=plan.minutes,
        seed=plan.seed,
    )


def _architecture(plan: Plan, embodiment: Embodiment) -> Architecture:
    state = {field: length for field, length in embodiment.state.items() if field in STATE}
    return Architecture(
        cameras=dict.fromkeys(embodiment.cameras, plan.view.size),
        state=state or dict(embodiment.state),
        action={name: part.length for name, part in embodiment.action.items()},
        switches=tuple(name for name in SWITCHES if name in embodiment.action),
        chunk_length=plan.chunk_length,
        goal="eef_position" if "eef_position" in state else None,
    )


def _follow(process: subprocess.Popen[str], trained: Callable[[Progress], None]) -> list[str]:
    """Pass the reports on until the process ends; returns the last lines of its standard error."""
    troubles: deque[str] = deque(maxlen=50)
    assert process.stdout is not None
    assert process.stderr is not None
    stderr = process.stderr
    reader = threading.Thread(target=lambda: troubles.extend(stderr), daemon=True)
    reader.start()
    for line in process.stdout:
        try:
            trained(Progress.model_validate_json(line))
        except ValidationError:
            troubles.append(line)
    process.wait()
    reader.join(_STOP_S)
    return list(troubles)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
