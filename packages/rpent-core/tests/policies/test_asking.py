"""What counts as memory that ran out, and what an error of a backend looks like."""

from __future__ import annotations

import pytest
from rpent.errors import clause
from rpent.policies.asking import is_memory


class OutOfMemoryError(RuntimeError):
    """As torch names its own."""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: you tried"
        ),
        RuntimeError("MPS backend out of memory (MPS allocated: 8 GB)"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_memory_that_ran_out_is_known(error):
    assert is_memory(error)


@pytest.mark.parametrize(
    "error", [RuntimeError("shapes cannot be multiplied"), ValueError(), KeyError("memory")]
)
def test_other_errors_are_other_errors(error):
    assert not is_memory(error)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("first line.\nsecond line"), "first line"),
        (RuntimeError("  "), "RuntimeError"),
        (RuntimeError("x" * 1000), "x" * 300),
    ],
)
def test_an_error_is_a_part_of_a_sentence(error, text):
    assert clause(error) == text
