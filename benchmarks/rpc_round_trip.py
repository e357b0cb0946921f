"""One RPC round trip of an observation: RPent's transports and plain baselines, as ratios in one run.

The observation: two (256, 256, 3) uint8 pictures, two (256, 256) float32 depth maps, and the robot's state. Every
server and every client is a process of its own, so that none profits from memory that another one warmed up. The
contenders take turns in short blocks, so that a busy machine slows all of them; the median over all blocks counts.

Baselines, each a new connection a call, as small RPC layers around simulators have them: `pickle-tcp` sends a
4-byte length and a pickle both ways and receives with the usual `recv(missing)` loop; `json-http` posts JSON with
base64 arrays. `pickle-tcp-64k` is the first with its reads cut to 64 KiB, which spares it large allocations: shown
for comparison, not a target.

    python benchmarks/rpc_round_trip.py            # writes benchmarks/results/rpc_round_trip.{json,md}
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import http.server
import json
import multiprocessing
import pickle
import platform
import socket
import statistics
import struct
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.rpc import Facade, Method, connect, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

RESULTS = Path(__file__).parent / "results"
TOKEN = "benchmark-token-0123456789"
REQUEST: dict[str, Any] = {"cameras": ["agentview", "wrist"], "size": 256, "depth": True}
TARGETS = {("zmq+ipc", "pickle-tcp"): 2.0, ("zmq+tcp", "pickle-tcp"): 2.0, ("http", "json-http"): 5.0}


def make_observation() -> dict[str, Any]:
    """Return an observation like the env server's."""
    rng = np.random.default_rng(0)
    return {
        "step": 17,
        "eef_position": rng.random(3),
        "eef_quaternion": rng.random(4),
        "gripper_opening_m": 0.04,
        "joint_positions": rng.random(7),
        "success": False,
        "images": {name: rng.integers(0, 255, (256, 256, 3), np.uint8) for name in ("agentview", "wrist")},
        "depth": {name: rng.random((256, 256), np.float32) for name in ("agentview", "wrist")},
    }


# Servers, each run in a process of its own; they send their address through the pipe.


def serve_rpent(endpoint: str, ready: Connection) -> None:
    observation = make_observation()

    def observe(_call: Any, cameras: list[str], size: int, depth: bool) -> dict[str, Any]:  # noqa: ARG001
        return observation

    facade = Facade(name="benchmark", version="1", methods={"observe": Method(handler=observe)})
    server = serve(endpoint, facade, token=TOKEN)
    ready.send(str(server.endpoint))
    server.run()


def serve_pickle_tcp(_endpoint: str, ready: Connection) -> None:
    observation = make_observation()
    listener = socket.create_server(("127.0.0.1", 0))
    ready.send(listener.getsockname()[1])
    while True:
        connection, _ = listener.accept()
        with connection:
            pickle.loads(receive_sized(connection))
            send_sized(connection, pickle.dumps({"ok": True, "result": observation}, pickle.HIGHEST_PROTOCOL))


def serve_json_http(_endpoint: str, ready: Connection) -> None:
    observation = make_observation()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps({"ok": True, "result": to_json(observation)}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready.send(server.server_address[1])
    server.serve_forever()


# The baselines' wire formats.


def send_sized(connection: socket.socket, data: bytes) -> None:
    connection.sendall(struct.pack(">I", len(data)))
    connection.sendall(data)


def receive_sized(connection: socket.socket, largest_read: int = 2**31) -> bytes:
    (size,) = struct.unpack(">I", receive_exactly(connection, 4, largest_read))
    return receive_exactly(connection, size, largest_read)


def receive_exactly(connection: socket.socket, size: int, largest_read: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(size - len(data), largest_read))
        if not piece:
            raise ConnectionError("The peer has gone.")
        data += piece
    return bytes(data)


def to_json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        data = base64.b64encode(value.tobytes()).decode()
        return {"__array__": data, "dtype": value.dtype.str, "shape": value.shape}
    return {name: to_json(item) for name, item in value.items()} if isinstance(value, dict) else value


def from_json(value: dict[str, Any]) -> Any:
    if "__array__" in value:
        array = np.frombuffer(base64.b64decode(value["__array__"]), value["dtype"])
        return array.reshape(value["shape"])
    return value


# Contenders: a context manager that yields the call to measure.


@contextlib.contextmanager
def child(target: Callable[..., None], *arguments: Any) -> Iterator[Connection]:
    """Run a function in a process of its own; yields the pipe whose other end is its last argument."""
    context = multiprocessing.get_context("spawn")
    pipe, child_end = context.Pipe()
    process = context.Process(target=target, args=(*arguments, child_end), daemon=True)
    process.start()
    try:
        yield pipe
    finally:
        process.kill()
        process.join()


def receive_in_time(pipe: Connection) -> Any:
    if not pipe.poll(120):
        raise RuntimeError("A process of the benchmark does not answer.")
    return pipe.recv()


def rpent(endpoint: str) -> Callable[[], Any]:
    channel = connect(endpoint, token=TOKEN)
    return lambda: channel.call("observe", **REQUEST)


def pickle_tcp(port: int, largest_read: int = 2**31) -> Callable[[], Any]:
    def call() -> Any:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            send_sized(connection, pickle.dumps({"method": "observe", "kwargs": REQUEST}))
            return pickle.loads(receive_sized(connection, largest_read))["result"]

    return call


def pickle_tcp_64k(port: int) -> Callable[[], Any]:
    return pickle_tcp(port, largest_read=65536)


def json_http(port: int) -> Callable[[], Any]:
    def call() -> Any:
        body = json.dumps({"method": "observe", "kwargs": REQUEST}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/call", body)
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read(), object_hook=from_json)["result"]

    return call


def run_client(make_call: Callable[[Any], Callable[[], Any]], address: Any, pipe: Connection) -> None:
    """Answer each number that comes through the pipe with the seconds of so many calls."""
    call = make_call(address)
    check(make_call.__name__, call())
    while True:
        seconds = []
        for _ in range(pipe.recv()):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
        pipe.send(seconds)


# Measuring and reporting.


def check(name: str, observation: dict[str, Any]) -> None:
    """Make sure that a contender carries what it should."""
    expected = make_observation()
    for kind in ("images", "depth"):
        for camera, array in expected[kind].items():
            np.testing.assert_array_equal(observation[kind][camera], array, err_msg=name)
    np.testing.assert_array_equal(observation["joint_positions"], expected["joint_positions"], err_msg=name)


def measure(clients: dict[str, Connection], blocks: int, block_size: int) -> dict[str, list[float]]:
    """Return the seconds of every call. Contenders take turns block by block; the first block warms up."""
    times: dict[str, list[float]] = {name: [] for name in clients}
    for block in range(blocks + 1):
        for name, pipe in clients.items():
            pipe.send(block_size)
            seconds = receive_in_time(pipe)
            if block:
                times[name] += seconds
    return times


def report(times: dict[str, list[float]]) -> dict[str, Any]:
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = [
        {
            "transport": fast,
            "baseline": slow,
            "ratio": round(medians[slow] / medians[fast], 2),
            "target": target,
            "met": medians[slow] / medians[fast] >= target,
        }
        for (fast, slow), target in TARGETS.items()
    ]
    return {
        "payload_bytes": 2 * 256 * 256 * 3 + 2 * 256 * 256 * 4,
        "python": platform.python_version(),
        "calls": len(next(iter(times.values()))),
        "median_ms": {name: round(1e3 * value, 3) for name, value in medians.items()},
        "p90_ms": {name: round(1e3 * statistics.quantiles(v, n=10)[-1], 3) for name, v in times.items()},
        "ratios": ratios,
    }


def to_markdown(result: dict[str, Any]) -> str:
    lines = [
        "# One RPC round trip of an observation",
        "",
        f"Two 256x256x3 uint8, two 256x256 float32, state: {result['payload_bytes']} bytes of arrays; "
        f"{result['calls']} calls each, taking turns, Python {result['python']}. "
        "Made by `benchmarks/rpc_round_trip.py`.",
        "",
        "| contender | median, ms | 90th percentile, ms |",
        "|---|---|---|",
        *(f"| {name} | {ms} | {result['p90_ms'][name]} |" for name, ms in result["median_ms"].items()),
        "",
        "| transport | baseline | times as fast | wanted | met |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['transport']} | {r['baseline']} | {r['ratio']} | {r['target']} | {'yes' if r['met'] else 'no'} |"
        for r in result["ratios"]
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, write the results, and return 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--block-size", type=int, default=10)
    parser.add_argument("--no-write", action="store_true", help="print the result only")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        contenders = {
            "zmq+ipc": (serve_rpent, f"zmq+ipc://{folder}/env.sock", rpent),
            "zmq+tcp": (serve_rpent, "zmq+tcp://127.0.0.1:0", rpent),
            "http": (serve_rpent, "http://127.0.0.1:0", rpent),
            "pickle-tcp": (serve_pickle_tcp, "", pickle_tcp),
            "pickle-tcp-64k": (serve_pickle_tcp, "", pickle_tcp_64k),
            "json-http": (serve_json_http, "", json_http),
        }
        clients = {}
        for name, (server, endpoint, client) in contenders.items():
            address = receive_in_time(stack.enter_context(child(server, endpoint)))
            clients[name] = stack.enter_context(child(run_client, client, address))
        result = report(measure(clients, options.blocks, options.block_size))
    text = to_markdown(result)
    print(text)
    if not options.no_write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "rpc_round_trip.json").write_text(json.dumps(result, indent=2) + "\n")
        (RESULTS / "rpc_round_trip.md").write_text(text)
    return 0 if all(ratio["met"] for ratio in result["ratios"]) else 1


if __name__ == "__main__":
    raise SystemExit(main())
