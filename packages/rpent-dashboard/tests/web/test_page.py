"""The pages in Chromium, under the Content-Security-Policy."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_the_printed_address_opens_the_page_and_leaves_no_token_in_it(page, serve, screenshot):
    page.wait_for_selector("#main")
    assert page.url.split("#")[0] == serve.url + "/"
    cookie = page.context.cookies()[0]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    screenshot(page, "first")
