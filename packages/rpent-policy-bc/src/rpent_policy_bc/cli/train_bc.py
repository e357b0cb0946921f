"""`rpent policy train-bc`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent_policy_bc.checkpoint import Description
    from rpent_policy_bc.job import Progress
    from rpent_policy_bc.training import Plan


@click.command("train-bc")
@click.argument(
    "runs", nargs=-1, required=True, metavar="RUNS…", type=click.Path(exists=True, path_type=Path)
)
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the checkpoint."
)
@click.option(
    "--calls", metavar="NAMES", help="Tools whose calls are learned, with commas.  [default: those that pick]"
)
@click.option("--instruction", help="What the policy is told.  [default: pick up the <target of the call>]")
@click.option(
    "--epochs", type=click.IntRange(1), default=60, show_default=True, help="Passes through the frames."
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    callback=lambda _ctx, _param, value: _number(value),
    help="End the training after this time at most.",
)
@click.option(
    "--size",
    type=click.IntRange(32, 256),
    default=96,
    show_default=True,
    help="Rows and columns of a picture.",
)
@click.option(
    "--every",
    type=click.IntRange(1, 20),
    default=2,
    show_default=True,
    help="Control steps between two pictures.",
)
@click.option(
    "--perturbed",
    type=click.IntRange(0, 20),
    default=2,
    show_default=True,
    help="Repetitions of each demonstration in which the hand is pushed off its way and finds back.",
)
@click.option(
    "--after-steps",
    type=click.IntRange(0, 100),
    default=12,
    show_default=True,
    help="Control steps after a call that are learned with it.",
)
@click.option(
    "--chunk", type=click.IntRange(1, 100), default=16, show_default=True, help="Actions in one answer."
)
@click.option(
    "--execute",
    type=click.IntRange(1, 100),
    default=8,
    show_default=True,
    help="How many of them are carried out.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the weights and the order of frames."
)
@click.option(
    "--frames",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where rendered frames are kept for the next training.  [default: OUT.frames]",
)
@click.option(
    "--processes", type=click.IntRange(1, 32), default=2, show_default=True, help="Simulators at a time."
)
@click.option("--python", help="Interpreter with torch.  [default: the environment `torch`]")
@click.option(
    "--env-python", help="Interpreter for the robot's simulator.  [default: its managed environment]"
)
@click.option("--quiet", "-q", is_flag=True, help="Print the result only.")
@no_plugin_option
@verbose_option
def command(**values: Any) -> None:
    """Train a small policy from recorded runs: two cameras and the robot's state to a chunk of actions.

    RUNS are run directories, or folders that hold some. Learned are the successful calls of runs that the benchmark
    calls solved: they are repeated in the robot's own simulator, which renders what the policy will see. Rendered
    frames are kept, so that a second training does not render again. `rpent run --policy bc --checkpoint OUT` uses it.
    """
    from rpent_policy_bc.training import Listener, run_directories, train

    plan, quiet = _plan(values), values["quiet"]

    def say(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    def rendered(done: int, total: int) -> None:
        if done != shown[0]:
            shown[0] = done
            say(f"rendered {done} of {total} demonstrations")

    def trained(progress: Progress) -> None:
        say(_line(progress))

    shown = [-1]
    listener = Listener(say=say, rendered=rendered, trained=trained)
    description = train(run_directories(values["runs"]), plan, listener)
    click.echo(_result(plan.out, description))


def _number(value: float | None) -> float | None:
    if value is not None and math.isnan(value):
        raise click.BadParameter("it is no number.")
    return value


def _plan(values: dict[str, Any]) -> Plan:
    from rpent_policy_bc.demonstrations import CALLS
    from rpent_policy_bc.frames import View
    from rpent_policy_bc.training import Plan

    calls = [name.strip() for name in (values["calls"] or "").split(",") if name.strip()]
    return Plan(
        out=values["out"],
        calls=calls or CALLS,
        instruction=values["instruction"],
        frames=values["frames"],
        view=View(size=values["size"], every=values["every"], perturbed=values["perturbed"]),
        after_steps=values["after_steps"],
        chunk_length=values["chunk"],
        execute_steps=values["execute"],
        epochs=values["epochs"],
        minutes=values["minutes"],
        seed=values["seed"],
        processes=values["processes"],
        python=values["python"],
        env_python=values["env_python"],
    )


def _line(progress: Progress) -> str:
    held_out = "" if progress.held_out_loss is None else f", held out {progress.held_out_loss:.4f}"
    return (
        f"epoch {progress.epoch} of {progress.epochs}: loss {progress.loss:.4f}{held_out} "
        f"({progress.elapsed_s:.0f} s)"
    )


def _result(out: Path, description: Description) -> str:
    facts = description.training
    return (
        f"checkpoint: {out} ({facts['demonstrations']} demonstrations, {facts['frames']} frames, "
        f"{facts['epochs']} epochs, loss {facts['first_loss']:.3f} -> {facts['loss']:.3f})"
    )
