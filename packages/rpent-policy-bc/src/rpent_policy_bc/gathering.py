"""Renders the demonstrations of recorded runs in env servers of their own, several at a time; what is there stays."""

from __future__ import annotations

import queue
import threading
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import PolicyError
from rpent.policies.adapter import Adapter
from rpent.policies.fit import native_layout
from rpent.policies.signature import CameraInput, Signature

from rpent_policy_bc.repeating import Repeater
from rpent_policy_bc.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rpent.policies.embodiment import Embodiment
    from rpent.run.resolve import Registry

    from rpent_policy_bc.demonstrations import Demonstration, Recording
    from rpent_policy_bc.frames import View


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """The files of a demonstration: the exact repetition first."""

    demonstration: Demonstration
    files: tuple[Path, ...]


def gather(
    recordings: Sequence[Recording],
    embodiment: Embodiment,
    view: View,
    folder: Path,
    *,
    processes: int = 2,
    env_python: str | None = None,
    registry: Registry | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Gathered]:
    """Return the frames of all demonstrations, rendered where they are not in `folder` yet.

    Args:
        recordings: Runs of one robot.
        embodiment: The robot's.
        view: How they are looked at.
        folder: Where the frames are kept.
        processes: Env servers at a time.
        env_python: Interpreter for them.
        registry: Where the robot comes from; the installed plugins when None.
        progress: Called with how many demonstrations are there, and of how many.

    Raises:
        PolicyError: A demonstration does not lead where it led in the run.
        ServiceError: An env server cannot be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    todo: queue.SimpleQueue[tuple[Recording, Demonstration]] = queue.SimpleQueue()
    demonstrations = [demo for recording in recordings for demo in recording.demonstrations]
    for recording in recordings:
        for demo in recording.demonstrations:
            if not all(zipfile.is_zipfile(path) for path in _paths(demo, view, folder)):  # there, and whole
                todo.put((recording, demo))
    workers = [
        _Worker(todo, _Place(embodiment, view, folder, env_python, registry), number)
        for number in range(min(processes, todo.qsize()))
    ]
    known = len(demonstrations) - todo.qsize()
    progress(known, len(demonstrations))
    _run(workers, lambda: progress(known + sum(worker.done for worker in workers), len(demonstrations)))
    return [Gathered(demonstration=demo, files=tuple(_paths(demo, view, folder))) for demo in demonstrations]


def signature_for(embodiment: Embodiment, size: int) -> Signature:
    """Return what a policy takes and gives that sees all of a robot, in the layout `native`."""
    return Signature(
        family="bc",
        cameras={camera: CameraInput(height=size, width=size) for camera in embodiment.cameras},
        state=dict(embodiment.state),
        action={name: field.length for name, field in embodiment.action.items()},
        control_rate_hz=embodiment.control_rate_hz,
        robot=embodiment.robot,
        layout="native",
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """What all workers have in common."""

    embodiment: Embodiment
    view: View
    folder: Path
    env_python: str | None
    registry: Registry | None


class _Worker(threading.Thread):
    """Works in one env server through what is to be done."""

    def __init__(
        self, todo: queue.SimpleQueue[tuple[Recording, Demonstration]], place: _Place, number: int
    ) -> None:
        super().__init__(name=f"frames-{number}", daemon=True)
        self.done = 0
        self.error: Exception | None = None
        self.stopping = threading.Event()
        self._todo, self._place = todo, place
        self._logs = place.folder / "logs" / str(number)

    def run(self) -> None:
        """Take one demonstration after the other; an env server serves all of a suite."""
        simulation: Simulation | None = None
        try:
            self._logs.mkdir(parents=True, exist_ok=True)
            while not self.stopping.is_set():
                try:
                    recording, demo = self._todo.get_nowait()
                except queue.Empty:
                    return
                if simulation is not None and not simulation.serves(recording):
                    simulation.close()
                    simulation = None
                if simulation is None:
                    simulation = Simulation(
                        recording,
                        logs=self._logs,
                        env_python=self._place.env_python,
                        registry=self._place.registry,
                    )
                self._render(simulation, demo)
                self.done += 1
        except OSError as error:
            self.error = PolicyError(
                f"Frames cannot be kept in `{self._place.folder}` ({error.strerror or error}).",
                hint="`--frames DIR` chooses another folder.",
            )
        except Exception as error:  # noqa: BLE001  (whoever waits for the thread raises it)
            self.error = error
        finally:
            if simulation is not None:
                simulation.close()

    def _render(self, simulation: Simulation, demo: Demonstration) -> None:
        embodiment, view = self._place.embodiment, self._place.view
        adapter = Adapter(signature_for(embodiment, view.size), embodiment, native_layout(embodiment))
        repeater = Repeater(simulation, adapter, embodiment, view)
        exact, trace = repeater.exactly(demo)
        paths = _paths(demo, view, self._place.folder)
        exact.save(paths[0])
        for repetition, path in enumerate(paths[1:], start=1):
            if self.stopping.is_set():
                return
            if not zipfile.is_zipfile(path):
                repeater.pushed(demo, trace, repetition).save(path)


def _run(workers: Sequence[_Worker], report: Callable[[], None]) -> None:
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for worker in workers:
                worker.join(0.25)
            report()
            if any(worker.error for worker in workers):
                break
    finally:
        for worker in workers:
            worker.stopping.set()
        for worker in workers:
            worker.join(60.0)
    for worker in workers:
        if worker.error is not None:
            raise worker.error


def _paths(demo: Demonstration, view: View, folder: Path) -> list[Path]:
    return [folder / f"{view.key(demo, number)}.npz" for number in range(view.perturbed + 1)]
