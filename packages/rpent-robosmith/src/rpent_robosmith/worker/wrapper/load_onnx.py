"""An ONNX model, run by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

OUTPUT = "action"


class LoadedPolicy:
    """Adds the batch axis to inputs, and takes it from the answer."""

    def __init__(self, session: Any, output: str) -> None:
        self._session, self._output = session, output
        self._names = [each.name for each in session.get_inputs()]

    def __call__(self, inputs: Any, instruction: str = "") -> Any:
        """Return (D,), (T, D), or whole numbers."""
        given = {
            name: np.asarray(instruction if value is None else value)[None] for name, value in inputs.items()
        }
        answer = np.asarray(self._session.run([self._output], {name: given[name] for name in self._names})[0])
        return answer[0] if answer.ndim else answer


def load_policy(path: str) -> LoadedPolicy:
    """Load the model on the CPU, with one thread."""
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return LoadedPolicy(
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]), OUTPUT
    )
