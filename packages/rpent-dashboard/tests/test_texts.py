"""The page's texts in both languages, and what its files may not do."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

STATIC = Path(str(files("rpent_dashboard"))) / "static"
AREAS = ("shell", "library", "run", "compare", "session")
SAME_IN_BOTH = {"B − A", "A − B"}
"""Signs that are no words."""
FILES = {"run.json"}
NAMES = {"JSON", "GPU", "VLA", "ID", "Token", "token", "USD", "CSRF", "API", "RPent", "Ctrl", "Enter", "Esc"}
KEY = rf"(?:{'|'.join(AREAS)})\.[\w.]*"
WHOLE_KEY = re.compile(rf'["`]({KEY}\w)["`]')
BUILT_KEY = re.compile(rf"`({KEY})\$\{{")
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|createContextualFragment"
    r"|DOMParser|javascript:|setHTMLUnsafe|setAttribute\([\"'`]on"
)


def texts(language: str, area: str) -> dict[str, str]:
    """Read the texts of an area; the files hold nothing but an object."""
    source = (STATIC / "i18n" / language / f"{area}.js").read_text()
    body = source[source.index("{") : source.rindex("}") + 1]
    return json.loads(re.sub(r",(\s*)\}$", r"\1}", body))


def everything(language: str) -> dict[str, str]:
    """Return the texts of all areas."""
    return {key: text for area in AREAS for key, text in texts(language, area).items()}


def scripts() -> list[Path]:
    """Return the page's own modules."""
    return sorted((STATIC / "js").rglob("*.js"))


def code(script: Path) -> str:
    """Read a module without its comments of several lines."""
    return re.sub(r"/\*.*?\*/", "", script.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_say_the_same_things(area: str) -> None:
    english, chinese = texts("en", area), texts("zh-cn", area)
    assert english.keys() == chinese.keys()
    assert all(key.startswith(f"{area}.") for key in english)
    for key, text in english.items():
        assert sorted(re.findall(r"\{(\w+)\}", text)) == sorted(re.findall(r"\{(\w+)\}", chinese[key])), key


@pytest.mark.parametrize("area", AREAS)
def test_chinese_texts_are_chinese(area: str) -> None:
    for key, text in texts("zh-cn", area).items():
        words = set(
            re.findall(r"[A-Za-z]{2,}", re.sub(r"`[^`]*`|\{\w+\}|/[\w-]+|[\w-]*[_.=][\w.=-]*", "", text))
        )
        named = words <= NAMES and not re.search(r"[\u4e00-\u9fff]", text)
        if text in SAME_IN_BOTH or named:
            continue
        assert re.search(r"[\u4e00-\u9fff]", text), f"`{key}` is not translated: {text}"
        assert not re.search(r"[\u4e00-\u9fff][,;:?!]", text), f"`{key}` has western punctuation: {text}"


def test_every_text_that_the_page_asks_for_exists() -> None:
    known = everything("en")
    for script in scripts():
        source = code(script)
        for key in WHOLE_KEY.findall(source):
            assert key in known or key in FILES, f"{script.name} asks for `{key}`"
        for prefix in BUILT_KEY.findall(source):
            assert any(key.startswith(prefix) for key in known), f"{script.name} asks for `{prefix}…`"


def test_every_text_is_used() -> None:
    source = "\n".join(script.read_text() for script in scripts())
    prefixes = tuple(BUILT_KEY.findall(source))
    built = re.findall(r'named\("(\w+)"\)', source)
    unused = [
        key
        for key in everything("en")
        if f'"{key}"' not in source
        and not key.startswith(prefixes)
        and not key.startswith(tuple(f"run.{area}." for area in built))
    ]
    assert unused == []


@pytest.mark.parametrize("script", scripts(), ids=lambda path: str(path.relative_to(STATIC)))
def test_a_script_never_makes_markup_of_text(script: Path) -> None:
    source = script.read_text()
    assert FORBIDDEN.findall(source) == []
    assert len(source.splitlines()) < 350
    for address in re.findall(
        r'(?:^import\b[^"]*|^} from |import\()"([^"]+)"', code(script), flags=re.MULTILINE
    ):
        assert address.startswith("/static/"), address
        assert (STATIC / address.removeprefix("/static/")).is_file(), address


def test_the_page_has_no_styles_or_scripts_inline() -> None:
    source = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script>", source)
    for address in re.findall(r'(?:src|href)="([^"]+)"', source):
        assert (STATIC / address.removeprefix("/static/")).is_file(), address


@pytest.mark.parametrize("sheet", sorted((STATIC / "css").glob("*.css")), ids=lambda path: path.name)
def test_colours_are_tokens(sheet: Path) -> None:
    if sheet.name == "tokens.css":
        return
    source = code(sheet)
    shadows = re.sub(r"rgb\(0 0 0 / \d+%\)|linear-gradient\([^;]*", "", source)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\([^)]*\)|hsla?\([^)]*\)", shadows) == []
    for name in re.findall(r"var\((--[\w-]+)", source):
        assert name in (STATIC / "css/tokens.css").read_text() or f"{name}:" in source, name
