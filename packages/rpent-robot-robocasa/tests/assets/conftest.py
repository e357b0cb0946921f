"""A tiny package `robocasa`, a tree of placeholders made for it, and an HTTP server that breaks off as it is told."""

from __future__ import annotations

import io
import re
import threading
import zipfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rpent_robot_robocasa.assets.package import SimulatorPackage, find_package

REGISTRY = "models/assets/fixtures/fixture_registry"
FILES = {
    "__init__.py": '__version__ = "9.9.1"\n',
    "models/assets/fixtures/cabinets/panel.xml": (
        '<mujoco><asset><texture file="../../textures/flat/red.png"/></asset></mujoco>'
    ),
    f"{REGISTRY}/fridge_french_door.yaml": "F1:\n  xml: fixtures/fridges/Refrigerator001\n",
    f"{REGISTRY}/fridge_side_by_side.yaml": "F2:\n  xml: fixtures/fridges/Refrigerator002\n",
    f"{REGISTRY}/fridge_bottom_freezer.yaml": "F3:\n  xml: fixtures/fridges/Refrigerator003\n",
    f"{REGISTRY}/stove_wide.yaml": "S:\n  xml: fixtures/stoves/Stove026\n",
    f"{REGISTRY}/rest.yaml": "".join(
        f"X{index}:\n  xml: {name}\n"
        for index, name in enumerate(
            (
                "fixtures/sinks/Sink001",
                "fixtures/sinks/Sink002",
                "fixtures/microwaves/Microwave011",
                "fixtures/stoves/Stove001",
                "fixtures/stovetops/Stovetop002",
                "fixtures/ovens/Oven048",
                "fixtures/dishwashers/Dishwasher031",
                "fixtures/toasters/Toaster001",
                "fixtures/toasters/Toaster007",
                "fixtures/toaster_ovens/ToasterOven001",
                "fixtures/toaster_ovens/ToasterOven004",
                "fixtures/coffee_machines/CoffeeMachine036",
                "fixtures/blenders/Blender003",
                "fixtures/blenders/BlenderLid003",
                "fixtures/electric_kettles/ElectricKettle003",
                "fixtures/stand_mixers/StandMixer003",
                "fixtures/hoods/RangeHood002",
                "fixtures/windows/Window001",
                "fixtures/cabinets/cabinet_panels/CabinetDoorPanel001/model.xml",
                "fixtures/handles/CabinetHandle001/model.xml",
                "fixtures/handles/CabinetHandle016/model.xml",
                "objects/lightwheel/jar/Jar024",
                "objects/lightwheel/jar/Jar024/Jar024_Lid",
                "objects/lightwheel/stool/Stool001",
                "objects/lightwheel/dish_rack/DishRack026",
                "objects/lightwheel/plant/Plant001",
            )
        )
    ),
    "models/objects/kitchen_objects.py": """
import robocasa
OBJ_CATEGORIES = dict(
    apple=dict(types=("fruit"), graspable=True, aigen=dict(scale=1.0), objaverse=dict(scale=0.9)),
    bread=dict(
        types=("bread_food"),
        objaverse=dict(scale=[0.7, 0.7, 1.0], exclude=["bread_1"] + [f"bread_{i}" for i in [3]]),
    ),
    kiwi=dict(types=("fruit",), objaverse=dict()),
    mug=dict(types=("receptacle"), objaverse=dict(scale=1.2)),
    saucepan_with_lid=dict(types=("receptacle"), lightwheel=dict(model_folders=["lightwheel/saucepan"])),
    saucepan_lid=dict(
        types=("lid"), lightwheel=dict(model_folders=["lightwheel/saucepan"], is_auxiliary_obj=True)
    ),
    wine=dict(types=("drink", "alcohol"), lightwheel=dict(scale=2.0)),
)
""",
    "environments/kitchen/juice.py": '_SLICED = [{"instance": "kiwi_6"}]\nTEXTURE = "textures/wood/dark_wood.png"\n'
    'INFO = {"mjcf_path": "aigen_objs/apple/apple_8/model.xml"}\n',
}


@pytest.fixture
def package(tmp_path: Path) -> SimulatorPackage:
    """A package with one of each family, as files."""
    root = tmp_path / "site-packages" / "robocasa"
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return find_package(root)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's own cache and data out of it."""
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RPENT_ROBOCASA_ASSETS_DIR", str(tmp_path / "real"))


@dataclass
class Host:
    """A file host: what it has, and how it misbehaves."""

    server: ThreadingHTTPServer
    files: dict[str, bytes] = field(default_factory=dict)
    breaks_after: list[int] = field(default_factory=list)
    """For each of the next answers: how many bytes of it are sent."""
    ranges: bool = True
    etag: str = '"one"'
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and `Range` of each request."""
    released: threading.Event = field(default_factory=threading.Event)
    holds: bool = False
    """Whether answers stop in the middle until `released` is set."""

    def url(self, name: str) -> str:
        """Return the address of a file."""
        return f"http://127.0.0.1:{self.server.server_port}/{name}"


class _Handler(BaseHTTPRequestHandler):
    host: Host

    def do_GET(self) -> None:
        host, wanted = self.host, self.headers.get("Range")
        host.asked.append((self.path, wanted))
        content = host.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        start = self._start(wanted)
        if start >= len(content) and start:
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("ETag", host.etag)
        self.send_header("Content-Length", str(len(content) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        body = content[start:]
        if host.holds:
            half, body = body[: len(body) // 2], body[len(body) // 2 :]
            self.wfile.write(half)
            host.released.wait(30)
        self.wfile.write(body[: host.breaks_after.pop(0)] if host.breaks_after else body)

    def _start(self, wanted: str | None) -> int:
        found = re.fullmatch(r"bytes=(\d+)-", wanted or "")
        same = self.headers.get("If-Range") in (None, self.host.etag)
        return int(found[1]) if found and self.host.ranges and same else 0

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch):
    """A running file host."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.host = Host(server)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield handler.host
    handler.host.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def archive(files: dict[str, bytes], **attributes: int) -> bytes:
    """Return a ZIP archive; `attributes` are the members' external attributes by name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = attributes.get(name, 0)
            opened.writestr(member, data)
    return content.getvalue()
