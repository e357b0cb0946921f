"""The pages in Chromium, under the Content-Security-Policy."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from rpent.run.lock import RunLock

pytestmark = pytest.mark.browser


def test_the_printed_address_opens_the_page_and_leaves_no_token_in_it(page, serve, screenshot):
    page.wait_for_selector("#main")
    assert page.url.split("#")[0] == serve.url + "/"
    cookie = page.context.cookies()[0]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    screenshot(page, "first")


def test_without_the_token_there_is_a_sentence_in_two_languages(serve, browser, screenshot):
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(serve.url).status == 401
    assert page.get_by_text("that was printed when this dashboard started").is_visible()
    assert page.get_by_text("令牌").is_visible()
    screenshot(page, "closed")
    context.close()


def test_the_token_of_an_open_page_is_not_in_its_history(page, serve):
    page.wait_for_selector("#main")
    page.goto(serve.url + "/#/launch")
    page.go_back()
    page.wait_for_selector("#main")
    assert "token" not in page.url


def test_every_page_works_under_its_policy(page, serve):
    for address in ("#/", "#/launch", "#/session", "#/compare"):
        page.goto(serve.url + "/" + address)
        page.wait_for_selector("main.page")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(300)
        assert page.locator("[role=alert]:visible").count() == 0, address
    assert page.problems == []


def test_an_open_page_goes_on_after_a_restart_of_a_dashboard_that_keeps_its_token(
    serve_with, new_page, tmp_path
):
    run = tmp_path / "runs" / "one"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    events = run / "events.jsonl"

    def say(seq, text):
        with events.open("a") as file:
            file.write(
                json.dumps({"seq": seq, "time": 1.0 + seq, "type": "text", "turn": 1, "text": text}) + "\n"
            )

    say(0, "said before")
    with RunLock(run):
        first = serve_with(token_file=tmp_path / "token")
        page = new_page(first)
        page.goto(first.url + "/#/run/one")
        page.get_by_text("said before").wait_for()
        first.dashboard.stop()
        say(1, "said meanwhile")
        second = serve_with(token_file=tmp_path / "token", port=first.port)
        say(2, "said afterwards")
        page.get_by_text("said afterwards").wait_for()
        assert page.get_by_text("said meanwhile").count() == 1
        assert page.get_by_text("said before").count() == 1
    assert second.url == first.url


def test_one_that_does_not_keep_it_closes_the_page(serve_with, new_page):
    first = serve_with()
    page = new_page(first)
    page.wait_for_selector("#main")
    first.dashboard.stop()
    serve_with(port=first.port)
    page.reload()
    page.get_by_text(re.compile("that was printed when this dashboard started")).wait_for()


def test_a_name_of_the_machine_that_is_not_allowed_says_what_to_do(serve):
    answer = httpx.get(serve.url, headers={"Host": f"robot.example:{serve.port}"}, trust_env=False)
    assert "--allowed-host" in answer.json()["error"]["hint"]
