"""The question before a run, to real servers: key, address, model."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rpent.planners.faults import ModelError
from rpent.planners.probe import probe_model
from rpent.testing.models import ModelServer

WIRES = [("openai", "/v1"), ("anthropic", "")]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


def ask(wire, base_url, **changes):
    values = {"key": "test-key", "model": "test-model", "planner": "api", "key_variable": "TEST_KEY"}
    probe_model(wire=wire, base_url=base_url, **{**values, **changes})


def fault(wire, base_url, **changes):
    with pytest.raises(ModelError) as caught:
        ask(wire, base_url, **changes)
    assert "test-key" not in f"{caught.value.message}{caught.value.hint}"
    return caught.value


@contextmanager
def answering(routes):
    """Serve fixed answers: path → (status, body); anything else is a 404 in HTML."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.command, self.path))
            status, body = routes.get(self.path, (404, "<html>Not Found</html>"))
            if isinstance(body, dict):
                body = json.dumps(body)
            self.send_response(status)
            if status == 302:
                self.send_header("location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            self.wfile.write(body.encode())

        def do_POST(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.do_GET()

        def log_message(self, *_):
            pass

    asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("wire", "path"), WIRES)
def test_a_server_that_serves_the_model(wire, path):
    with ModelServer([], models=("test-model",), key="test-key") as server:
        ask(wire, server.url + path)
        ask(wire, server.url + path + "/")


@pytest.mark.parametrize(("wire", "path"), WIRES)
def test_a_wrong_key(wire, path):
    with ModelServer([], models=("test-model",), key="test-key") as server:
        error = fault(wire, server.url + path, key="wrong")
    assert error.fault == "key"
    assert "`TEST_KEY`" in error.message


@pytest.mark.parametrize(("wire", "path"), WIRES)
def test_a_wrong_model(wire, path):
    with ModelServer([], models=("test-model",), key="test-key") as server:
        error = fault(wire, server.url + path, model="test-modle")
    assert error.fault == "model"
    assert "did you mean `test-model`?" in error.message


@pytest.mark.parametrize(("wire", "path", "right"), [("openai", "", "/v1"), ("anthropic", "/v1", "")])
def test_the_version_in_the_address_is_wrong(wire, path, right):
    with ModelServer([], models=("test-model",), key="test-key") as server:
        error = fault(wire, server.url + path)
        assert error.fault == "address"
        assert f"there is one at `{server.url}{right}`" in error.message


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_server_of_something_else(wire):
    with answering({}) as (url, _):
        assert fault(wire, url).fault == "address"


@pytest.mark.parametrize(("wire", "path"), WIRES)
def test_a_wrong_path_is_not_taken_for_a_wrong_model(wire, path):
    """Its server quotes the path that it does not have, and with it the name of the model."""
    with ModelServer([], models=("test-model",), key="test-key") as server:
        assert fault(wire, server.url + "/oops" + path).fault == "address"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_nobody_is_there(wire):
    error = fault(wire, "http://127.0.0.1:9/v1")
    assert error.fault == "unreachable"
    assert "`http://127.0.0.1:9/v1`" in error.message


def test_an_address_without_a_scheme():
    assert fault("openai", "localhost:8000/v1").fault == "address"


@pytest.mark.parametrize("route", ["/chat/completions", "/responses"])
def test_a_server_that_cannot_tell_passes(route):
    with answering({route: (400, {"error": {"message": "model is missing"}})}) as (url, asked):
        ask("openai", url)
    assert ("POST", route) in asked


@pytest.mark.parametrize("listed", ["test-model", "test-model:latest", "models/test-model"])
def test_a_server_with_a_list_only(listed):
    with answering({"/models": (200, {"object": "list", "data": [{"id": listed}]})}) as (url, _):
        ask("openai", url)
        assert fault("openai", url, model="other").fault == "model"


def test_a_name_with_a_slash():
    with answering({"/models/org%2Fname": (200, {"id": "org/name"})}) as (url, _):
        ask("openai", url, model="org/name")


def test_a_redirect_does_not_get_the_key():
    with answering({"/models/test-model": (302, "")}) as (url, _):
        assert fault("openai", url).fault == "address"


def test_a_busy_server_is_left_to_the_runs_retries():
    busy = (503, {"error": {"message": "overloaded"}})
    routes = {"/models/test-model": busy, "/models": busy, "/chat/completions": busy}
    with answering(routes) as (url, _):
        ask("openai", url)


def test_a_key_that_may_not_list_models_passes():
    words = {"error": {"message": "You have insufficient permissions. Missing scopes: api.model.read"}}
    routes = {"/models/test-model": (403, words), "/models": (403, words), "/responses": (400, {"error": {}})}
    with answering(routes) as (url, _):
        ask("openai", url)


def test_a_site_that_answers_everything_is_no_model_server():
    page = (200, "<html>Welcome</html>")
    routes = dict.fromkeys(("/models/test-model", "/models", "/chat/completions", "/responses"), page)
    with answering(routes) as (url, _):
        assert fault("openai", url).fault == "address"


@pytest.mark.parametrize(
    ("wire", "path", "route", "there"),
    [
        ("openai", "/v1", "/responses", "/chat/completions"),
        ("anthropic", "", "/v1/messages", "/v1/chat/completions"),
    ],
)
def test_a_server_of_another_api_is_told_before_the_run(wire, path, route, there):
    """It lists the model, and does not have the route that the planner needs."""
    listed = {"data": [{"id": "test-model"}]}
    models = {"/v1/models": (200, listed), "/v1/models?limit=1000": (200, listed)}
    refused = (400, {"error": {"message": "`messages` is missing"}})
    told = {"route": route, "otherwise": "Take another."}
    with answering(models | {"/v1/chat/completions": refused}) as (url, _):
        error = fault(wire, url + path, **told)
    assert error.fault == "address"
    assert f"has `{there}`, but no `{route}`" in error.message
    assert error.hint == "Take another."
    with answering(models | {path + route: refused}) as (url, _):
        ask(wire, url + path, **told)
    with answering(models) as (url, _):  # nothing is known of what it has
        ask(wire, url + path, **told)
    with ModelServer([], models=("test-model",), key="test-key") as server:
        ask(wire, server.url + path, **told)
    assert server.problems == []
    assert server.all_requests == []
