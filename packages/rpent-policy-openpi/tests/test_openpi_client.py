"""The unmodified openpi-client, in an environment of its own, talks to the gateway."""

import json
import subprocess
import sys

import numpy as np
import pytest
from rpent.environments.uv import find_uv

from .stage import gateway, policy_server

pytestmark = pytest.mark.models

NEEDS = ("dm-tree", "typing_extensions", "numpy<3", "msgpack", "websockets", "pillow")
SCRIPT = """
import json, sys, urllib.request
import numpy as np
from openpi_client import action_chunk_broker, image_tools, websocket_client_policy
host, port = sys.argv[1], int(sys.argv[2])
policy = websocket_client_policy.WebsocketClientPolicy(host, port, api_key=sys.argv[3])
picture = np.random.default_rng(0).integers(0, 256, (256, 320, 3), dtype=np.uint8)
observation = {
    "observation/image": image_tools.convert_to_uint8(image_tools.resize_with_pad(picture, 224, 224)),
    "observation/wrist_image": image_tools.resize_with_pad(picture[:, ::-1], 224, 224),
    "observation/state": np.arange(8.0),
    "prompt": "pick up the cup",
}
answer = policy.infer(observation)
broker = action_chunk_broker.ActionChunkBroker(policy, action_horizon=3)
steps = [broker.infer(observation) for _ in range(4)]
try:
    policy.infer({**observation, "observation/state": np.arange(7.0)})
    error = ""
except RuntimeError as failed:
    error = str(failed)
again = websocket_client_policy.WebsocketClientPolicy(f"ws://{host}", port, api_key=sys.argv[3])
print(json.dumps({
    "metadata": policy.get_server_metadata(),
    "shape": answer["actions"].shape, "dtype": str(answer["actions"].dtype),
    "keys": sorted(answer), "timing": sorted(answer["server_timing"]),
    "steps": [step["actions"].tolist() for step in steps],
    "error": error,
    "again": bool(np.array_equal(again.infer(observation)["actions"], answer["actions"])),
}))
"""


@pytest.fixture(scope="module")
def openpi_python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("openpi") / "venv"
    python = str(folder / "bin" / "python")
    for command in (
        ("venv", "--quiet", "--python", sys.executable, str(folder)),
        ("pip", "install", "--quiet", "--python", python, *NEEDS),
        # It asks for numpy<2 and forgets typing_extensions.
        ("pip", "install", "--quiet", "--python", python, "--no-deps", "openpi-client==0.1.2"),
    ):
        done = subprocess.run([find_uv(), *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return python


def test_policy_broker_and_pictures(tmp_path, openpi_python):
    with policy_server(tmp_path) as upstream, gateway(upstream, api_key="s3cret") as address:
        host, _, port = address.partition(":")
        done = subprocess.run(
            [openpi_python, "-I", "-c", SCRIPT, host, port, "s3cret"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["metadata"]["action_horizon"] == 5
    assert found["shape"] == [5, 7]
    assert found["dtype"] == "float64"
    assert found["keys"] == ["actions", "policy_timing", "server_timing"]
    assert found["timing"] == ["infer_ms"]
    assert np.shape(found["steps"]) == (4, 7)
    assert "`observation/state` has 7 numbers; the policy takes 8" in found["error"]
    assert "Traceback" not in found["error"].partition("Error in inference server:")[2]
    assert found["again"], "a connection is an episode of its own"
