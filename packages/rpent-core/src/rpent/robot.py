"""The agent side of a robot: from a validated configuration to a task, prompts and a toolkit. No simulator."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from rpent.cancel import CancelToken
    from rpent.memory.view import MemoryView
    from rpent.rpc.channel import Channel
    from rpent.tools.toolkit import Toolkit


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSetup:
    """One task, resolved from the robot's configuration before any service starts."""

    instruction: str
    """What the robot is asked to do, in the benchmark's own words."""
    tag: str
    """Folder-safe name of the episode: `libero_object_swap_t2_s0`."""
    seed: int
    details: Mapping[str, Any] = field(default_factory=dict)
    """Plain data for run.json: suite, task, which initial state the seed selected, ..."""
    prompt_variables: Mapping[str, Any] = field(default_factory=dict)
    service_configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Service name → values of its config model."""
    task: str = ""
    """Folder-safe name of the task, whatever the seed: `libero_object_swap_t2`; by default the tag without `_s<seed>`.
    Memory keeps its recipe under it."""
    family: str = ""
    """Folder-safe name of the tasks that share what can be learned; by default the task without `_t<number>`."""
    provisional: bool = False
    """The env's scene decides the instruction (which drawer, which vegetable): `instruction` only names the task, and
    `Toolkit.instruction` replaces it before the planner is told."""

    def __post_init__(self) -> None:
        task = self.task or self.tag.removesuffix(f"_s{self.seed}")
        object.__setattr__(self, "task", task)
        object.__setattr__(self, "family", self.family or re.sub(r"(?<=.)_t\d+$", "", task))


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptSection:
    """One part of the system prompt, under a heading of its own."""

    title: str
    text: str
    """Uses `{name}` for prompt variables; a brace of the text itself is written twice."""
    needs: tuple[str, ...] = ()
    """Names of services, or `perceptor`: without them the section is left out, as the tools are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompts:
    """What an LLM planner is told. Templates use `{name}` for prompt variables.

    A robot says who the planner is (`system`, a sentence or two) and teaches what is its own (`sections`); core adds
    what holds for every robot: how a session works, memory, exploration.
    """

    system: str
    user: str
    sections: tuple[PromptSection, ...] = ()

    @classmethod
    def from_files(cls, package: str, sections: Sequence[tuple[str, tuple[str, ...]]]) -> Prompts:
        """Read prompts from Markdown: `role.md`, `task.md`, and a file a section, whose first line is its title.

        Args:
            package: The package that holds the files: `__name__`.
            sections: File stem → what the section needs, in order.
        """
        folder = files(package)

        def text(stem: str) -> str:
            return (folder / f"{stem}.md").read_text("utf-8")

        def section(stem: str, needs: tuple[str, ...]) -> PromptSection:
            title, _, rest = text(stem).partition("\n")
            return PromptSection(title=title.removeprefix("# "), text=rest.strip(), needs=needs)

        return cls(
            system=text("role"),
            user=text("task"),
            sections=tuple(section(stem, needs) for stem, needs in sections),
        )


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """What a toolkit is built from."""

    setup: TaskSetup
    channels: Mapping[str, Channel]
    """Service name → channel; a service that is absent is not in it."""
    run_dir: Path
    cancel: Callable[[], CancelToken]
    """The token of the tool call under way; primitives pass it to `Channel.call(cancel=...)`."""
    progress: Callable[[Mapping[str, Any]], None]
    """Reports progress of the tool call under way (goes to the events and to the terminal)."""
    perceptor: Any = None
    """A `rpent.perception.Perceptor`, or None."""
    memory: MemoryView | None = None
    """What the task may see of the robot's memory; None where the run has no memory."""
    memory_drafts: Path | None = None
    """Folder for drafts of notes; None in a run that does not explore."""
    record_video: bool = False
    """Whether frames of motions are wanted, for a video or by spectators. An env server with `record` and `frames`
    needs no help; others may pass small pictures to `progress` as `{"frame": (H, W, 3) uint8, "frame_s": seconds it
    stands for}`."""


class Robot(ABC):
    """A robot as the planner's process sees it."""

    config_model: ClassVar[type[BaseModel]]

    def __init__(self, config: BaseModel) -> None:
        self.config = config

    @abstractmethod
    def setup(self) -> TaskSetup:
        """Resolve the task. Raises `UsageError` for a value that the benchmark does not have."""

    @abstractmethod
    def prompts(self) -> Prompts:
        """Return the prompt templates for LLM planners."""

    @abstractmethod
    def toolkit(self, context: ToolContext) -> Toolkit:
        """Build the tools over the connected services."""
