"""What the documentation says exists: links, commands, options, targets, files, hooks, events."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from rpent import api, hookspecs, testing
from rpent.cli import main
from rpent.runs import events

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "packages").glob("*/README.md")),
]
WRITTEN = [page for page in PAGES if page.parent != REFERENCE]
ONBOARDING = ROOT / "docs" / "onboarding.md"

FENCE = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^\s*(?:\w*\$\s+)?")
LINK = re.compile(r"(?<!`)!?\[[^\]`]*(?:`[^`]*`[^\]`]*)*\]\(([^)\s]+)\)")
PLACEHOLDERS = {"…", "..."}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def code_lines(text: str) -> list[str]:
    """Lines of a page's blocks, without prompts, and its inline code."""
    blocks = [re.sub(r"\\\n\s*", "", block) for block in FENCE.findall(text)]
    lines = [PROMPT.sub("", line) for block in blocks for line in block.splitlines()]
    return lines + re.findall(r"`([^`\n]+)`", FENCE.sub("", text))


def command_lines(page: Path) -> list[str]:
    """Every `rpent ...` of a page; what goes before it, comments and placeholders are left out."""
    found = []
    for line in code_lines(page.read_text(encoding="utf-8")):
        for part in re.split(r"&&", line):
            command = re.match(r"\s*(?:[A-Z_]+=\S+ )*(rpent [a-z-].*)", part)
            words = shlex.split(command.group(1), comments=True)[1:] if command else []
            if words:
                found.append(shlex.join(word for word in words if word not in PLACEHOLDERS))
    return found


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made on GitHub."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"`{target}` leads nowhere"
        assert not anchor or anchor in slugs(there), f"`{target}`: {there.name} has no such heading"


COMMANDS = [(name_of(page), line) for page in WRITTEN for line in command_lines(page)]


BRING = (ROOT / "docs" / "how-to" / "bring-your-own-vla.md").read_text(encoding="utf-8")
MY_VLA = dict(re.findall(r"^```python\n# (\S+\.py)[^\n]*\n(.*?)^```$", BRING, re.MULTILINE | re.DOTALL))


MINE = """
from rpent.api import PlannerSpec, hookimpl
PLUGIN_API = 1
@hookimpl
def rpent_planners():
    yield PlannerSpec(name="mine", summary="A planner of the reader's.", planner="none:Planner", config="")
"""


@pytest.fixture
def readers_plugins(plugin_site):
    """The robot, the planner and the policy that the pages have the reader write."""
    plugin_site.add_robot("my-bot")
    points = {"rpent.planners": {"mine": "rpent_planner_mine"}}
    plugin_site.add("rpent-planner-mine", entry_points=points, modules={"rpent_planner_mine.py": MINE})
    package = "rpent_policy_my_vla"
    light = {f"{package}/{name}": MY_VLA[f"src/{package}/{name}"] for name in ("plugin.py", "config.py")}
    points = {"rpent.policies": {"my-vla": f"{package}.plugin"}}
    plugin_site.add(
        "rpent-policy-my-vla", entry_points=points, modules={f"{package}/__init__.py": "", **light}
    )


@pytest.fixture
def readers_run(tmp_path):
    """A run that the reader may have recorded: whoever planned it brings the options of `rpent resume RUN`."""
    request = {"robot": "libero", "planner": "api", "planner_config": {}}
    plugins = {"robot": {"name": "libero"}, "planner": {"name": "api", "config": {}}}
    task = {"instruction": "Task.", "tag": "task"}
    empty = {"services": {}, "timings_s": {}, "processes": [], "outcome": None}
    manifest = {"format": 1, "rpent": "0", "created": 0, "task": task, "request": request, **plugins, **empty}
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    return tmp_path


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_every_command_exists_with_its_options(page, line, readers_plugins, readers_run):
    """`--help` is looked at first, but only after every option of the line was recognised."""
    words = shlex.split(line)
    words = [*words[:1], str(readers_run), *words[2:]] if words[:1] == ["resume"] and words[1:] else words
    words = words[:2] if words[:2] == ["env", "run"] else words  # what follows is another program's
    named_only = words[-1].startswith("--") and words[-1] != "--help"  # `rpent run --robot` in a sentence
    words.insert(len(words) - named_only, "--help")
    shown = CliRunner().invoke(main, words)
    known = shown.exit_code == 0 or (named_only and "requires an argument" in shown.output)
    assert known, f"{page}: rpent {line}\n{shown.output}"


def test_command_lines_are_found_and_looked_at(plugin_environment):
    assert len(COMMANDS) > 20
    for wrong in (
        "run --robot libero --sweet x",
        "run --robot libero --planner flash --tries 3",
        "runs lisst",
    ):
        assert CliRunner().invoke(main, [*shlex.split(wrong), "--help"]).exit_code


def targets_named(text: str) -> set[str]:
    """The targets in `make X` in code, inline or in a block."""
    return {target for line in code_lines(text) for target in re.findall(r"^make ([a-z][a-z-]*)", line)}


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_make_target_exists(page):
    real = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets_named(page.read_text(encoding="utf-8")) <= real


def test_the_index_lists_every_page():
    index = ROOT / "docs" / "README.md"
    listed = {
        (index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(index.read_text())
    }
    wanted = {page for page in PAGES if page.is_relative_to(ROOT / "docs") and page != index}
    wanted = {page for page in wanted if page.parent.name != "decisions" or page.name == "README.md"}
    assert wanted <= listed


def test_the_list_of_decisions_is_complete():
    folder = ROOT / "docs" / "decisions"
    listed = {(folder / target).resolve() for target in LINK.findall((folder / "README.md").read_text())}
    assert set(folder.glob("0*.md")) <= listed


def test_every_hook_is_in_the_reference():
    text = (REFERENCE / "hooks.md").read_text(encoding="utf-8")
    for family in (hookspecs.CollectHooks, hookspecs.LifecycleHooks):
        for name in vars(family):
            assert not name.startswith("rpent_") or f"### `{name}(" in text


def test_every_event_is_in_the_reference():
    text = (REFERENCE / "events.md").read_text(encoding="utf-8")
    types = [cls.model_fields["type"].default for cls in events.Event.__subclasses__()]
    assert types
    for kind in types:
        assert f"## `{kind}`" in text


@pytest.mark.parametrize("module", [api, testing], ids=lambda module: module.__name__)
def test_every_public_name_is_in_the_reference(module):
    text = (REFERENCE / "api.md").read_text(encoding="utf-8")
    for name in module.__all__:
        assert re.search(rf"^### `{name}[`(]", text, re.MULTILINE), f"`{name}` is missing"


def exists(name: str) -> bool:
    """Whether a file or folder of the tree ends in these parts of a path."""
    places = [ROOT, *ROOT.glob("packages/*/src"), *ROOT.glob("packages/*/src/*")]
    return any((place / name).exists() for place in places)


def test_every_file_in_the_walk_exists():
    prose = FENCE.sub("", ONBOARDING.read_text(encoding="utf-8"))
    names = [name for name in re.findall(r"`([^`\s]+)`", prose) if re.search(r"/$|\.[a-z]+$", name)]
    names = [name for name in names if not name.startswith("rpent.")]  # modules
    assert len(names) > 20
    assert [name for name in names if not exists(name)] == []


def test_the_tree_in_the_walk_exists():
    """The first column of the tree: folders end in a slash, and hold what is indented below them."""
    (tree,) = (
        block for block in FENCE.findall(ONBOARDING.read_text(encoding="utf-8")) if "packages/" in block
    )
    folders: list[tuple[int, Path]] = [(-1, ROOT)]
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        names = re.findall(r"[\w./-]+(?:/|\.py)(?=[\s,]|$)", re.split(r"\s{2,}", line.strip())[0])
        while names and folders[-1][0] >= indent:
            folders.pop()
        above = folders[-1][1]
        for name in names:
            assert (above / name).exists(), f"{above.relative_to(ROOT) / name} is not there"
        if names:
            folders.append((indent, above / names[-1]))
