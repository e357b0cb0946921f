"""An owner to be killed or interrupted: runs a job that hangs, and prints its worker's process ids."""

from __future__ import annotations

import json
import sys
from typing import Any

from rpent_robosmith.work.api import Job
from rpent_robosmith.work.bench import ProcessBench


def heard(kind: str, data: Any) -> None:
    if kind == "pids":
        print(json.dumps(data), flush=True)


if __name__ == "__main__":
    try:
        job = Job(run=sys.argv[1], params=json.loads(sys.argv[2]))
        ProcessBench(python=sys.executable).run(job, heard)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
