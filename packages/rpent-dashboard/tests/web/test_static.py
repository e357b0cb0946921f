"""The page's own files: fresh after an upgrade, and nothing beside them."""

from __future__ import annotations

import pytest
from rpent_dashboard.web.routes import pages


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("js/main.js", "text/javascript"),
        ("css/tokens.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
        ("i18n/zh-cn/run.js", "text/javascript"),
    ],
)
def test_they_are_served_as_what_they_are(served, path, kind):
    answer = served.client.get(f"/static/{path}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.content == (pages.STATIC / path).read_bytes()


def test_they_are_asked_for_again_and_sent_only_when_they_changed(served, tmp_path, monkeypatch):
    (tmp_path / "page.js").write_text("one")
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    first = served.client.get("/static/page.js")
    assert first.headers["Cache-Control"] == "no-cache"
    again = {"If-None-Match": first.headers["ETag"]}
    assert served.client.get("/static/page.js", headers=again).status_code == 304
    (tmp_path / "page.js").write_text("two")  # of the same size, as another version may be
    changed = served.client.get("/static/page.js", headers=again)
    assert (changed.status_code, changed.text) == (200, "two")


@pytest.mark.parametrize(
    "path",
    [
        "../config.py",
        "%2e%2e/config.py",
        "..%2fconfig.py",
        "%2e%2e%2fconfig.py",
        "js/../../config.py",
        "js/%2e%2e/%2e%2e/config.py",
        "%252e%252e/config.py",
        "..\\config.py",
        "..%5cconfig.py",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "//etc/passwd",
        "js/main.js/",
        "js//main.js",
        "./js/main.js",
        "js",
        "js/",
        "",
        ".hidden.js",
        "js/main.js.map",
        "~root/x.js",
        "%c0%ae%c0%ae/config.py",
    ],
)
def test_nothing_else_is(raw, path):
    answer = raw(f"GET /static/{path} HTTP/1.1", login=False)
    assert answer.status in {400, 404}
    assert b"class DashboardConfig" not in answer.body
    assert b"root:" not in answer.body


def test_a_link_out_of_the_folder_is_not_followed(served, tmp_path, monkeypatch):
    page = tmp_path / "page"
    page.mkdir()
    (tmp_path / "secret.js").write_text("secret")
    (page / "link.js").symlink_to(tmp_path / "secret.js")
    (page / "folder").symlink_to(tmp_path)
    monkeypatch.setattr(pages, "STATIC", page)
    assert served.client.get("/static/link.js").status_code == 404
    assert served.client.get("/static/folder/secret.js").status_code == 404
