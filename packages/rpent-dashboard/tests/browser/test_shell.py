"""What all pages share: colours, languages, the header, and what the keyboard does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ON_GROUNDS = [
    (text, ground)
    for ground in ("bg", "surface", "surface-2", "accent-soft", "ok-soft", "warn-soft", "error-soft")
    for text in ("text",)
] + [
    *((text, ground) for ground in ("bg", "surface") for text in ("muted", "accent", "ok", "warn", "error")),
    ("muted", "surface-2"),
    ("on-accent", "accent"),
    ("accent", "accent-soft"),
    ("ok", "ok-soft"),
    ("warn", "warn-soft"),
    ("error", "error-soft"),
]
EDGES = [(edge, ground) for ground in ("bg", "surface") for edge in ("field-border", "focus")]
CONTRAST = """([theme, a, b]) => {
  document.documentElement.dataset.theme = theme;
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const value = style.getPropertyValue(`--${name}`).trim();
    const parts = [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [x, y] = [light(a), light(b)].sort((one, two) => two - one);
  return (x + 0.05) / (y + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_token_pairs_keep_their_contrast(offline: Any, theme: str) -> None:
    page = offline.page()
    measured = {pair: page.evaluate(CONTRAST, [theme, *pair]) for pair in ON_GROUNDS + EDGES}
    assert {pair: ratio for pair, ratio in measured.items() if ratio < (3 if pair in EDGES else 4.5)} == {}


def choose(page: Page, label: str, value: str) -> None:
    """Choose from one of the header's lists."""
    page.get_by_label(label).select_option(value)


def test_language_and_theme_stay(serve: Any, new_page: Any) -> None:
    page = new_page(serve, color_scheme="light")
    assert page.locator("html").get_attribute("data-theme") == "light"
    choose(page, "Colours", "dark")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    choose(page, "Language", "zh-CN")
    page.get_by_role("link", name="运行记录").wait_for()
    assert page.evaluate("document.activeElement.id") == "language"
    page.reload()
    page.get_by_role("heading", name="运行记录", exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.title() == "运行记录 · RPent"
    assert page.problems == []


def test_the_theme_is_there_before_the_first_paint(serve: Any, new_page: Any) -> None:
    page = new_page(serve, color_scheme="dark")
    page.route("**/main.js", lambda route: route.abort())
    page.reload(wait_until="domcontentloaded")
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_auto_follows_the_system(serve: Any, new_page: Any) -> None:
    page = new_page(serve, color_scheme="light")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")


def test_the_keyboard_reaches_the_content_first(page: Page) -> None:
    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_question_mark_lists_the_shortcuts_and_they_can_be_switched_off(page: Page) -> None:
    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    assert dialog.get_by_text("Search").is_visible()
    dialog.get_by_label("Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    page.keyboard.press("?")
    assert dialog.count() == 0
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Use single-key shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert dialog.is_visible()


@pytest.mark.parametrize("address", ["#/nowhere", "#/%E4%B8", "#/nowhere/%"])
def test_an_address_of_no_page_says_so(page: Page, address: str) -> None:
    page.evaluate("address => (location.hash = address)", address)
    assert page.get_by_role("alert").inner_text() == "There is no such page."


MESSAGE = """async ([text, kind]) => {
  const { toast } = await import("/static/js/shell/announce.js");
  toast(text, { kind });
}"""


def test_an_error_stays_until_it_is_closed_and_is_only_text(page: Page) -> None:
    page.evaluate(MESSAGE, ["<img src=x onerror=alert(1)>", "error"])
    alert = page.get_by_role("alert").filter(has_text="<img")
    alert.wait_for()
    assert page.locator(".toast img").count() == 0
    alert.get_by_role("button", name="Close").click()
    assert alert.count() == 0


def test_the_badge_says_when_the_server_is_gone(serve: Any, new_page: Any) -> None:
    page = new_page(serve)
    page.locator(".connection", has_text="Live").wait_for()
    serve.dashboard.stop()
    page.locator(".connection", has_text="Reconnecting…").wait_for()
    assert page.locator("[aria-live=assertive]").inner_text() == "Reconnecting…"


def test_a_server_that_came_back_with_another_token_is_told_of(serve: Any, new_page: Any) -> None:
    page = new_page(serve)
    page.locator(".connection", has_text="Live").wait_for()
    refusal = {"error": {"message": "Who are you?", "hint": "", "field": ""}}
    page.route("**/api/me", lambda route: route.fulfill(status=401, json=refusal))
    serve.dashboard.stop()
    page.locator(".connection", has_text="No access").wait_for()
    page.get_by_role("alert").filter(has_text="open the address that it printed").wait_for()
    assert page.get_by_role("alert").count() == 1


@pytest.mark.parametrize("name", ["session", "launch", "compare", "run/one"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(360, "zh-CN"), (1440, "en-US")])
def test_every_page_can_be_read_and_named(
    serve: Any, look: Any, make_run: Any, *, name: str, theme: str, width: int, locale: str
) -> None:
    make_run("one")
    page = look(serve, width, theme, locale)
    page.goto(f"{page.url.split('#')[0]}#/{name}")
    page.locator("main :is(h1, h2, .notice)").first.wait_for()
    page.wait_for_timeout(300)
    look.check(page)
