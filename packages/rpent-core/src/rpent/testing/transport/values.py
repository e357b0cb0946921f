"""What passes through a transport arrives as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rpent.errors import FrameError
from rpent.rpc.channel import RpcChannel  # noqa: TC001  (pytest reads annotations of fixtures)
from rpent.rpc.codec import DTYPES
from rpent.testing.transport.base import TransportCase

_BASE = np.arange(4 * 30 * 50).reshape(4, 30, 50)

LAYOUTS = {
    "plain": _BASE,
    "zero_dimensional": np.array(3),
    "empty": np.zeros((0, 5)),
    "empty_in_the_middle": np.zeros((3, 0, 2)),
    "flipped": _BASE[:, ::-1],
    "strided": _BASE[::2, 1::3, ::5],
    "transposed": _BASE.T,
    "fortran": np.asfortranarray(_BASE),
    "broadcast": np.broadcast_to(np.arange(50), (30, 50)),
}


class ValuesContract(TransportCase):
    """Arrays of every dtype and layout, nested plain data."""

    @pytest.mark.parametrize("dtype", sorted(DTYPES))
    def test_arrays_of_every_dtype_arrive_as_they_were(self, channel: RpcChannel, dtype: str) -> None:
        """Small arrays travel in the header, large ones in frames of their own."""
        for size in (3, 5000):
            array = np.arange(size).astype(dtype)
            got = channel.call("echo", value=array)
            assert got.dtype == array.dtype
            np.testing.assert_array_equal(got, array)

    @pytest.mark.parametrize("layout", sorted(LAYOUTS))
    def test_arrays_of_every_layout_arrive_as_they_were(self, channel: RpcChannel, layout: str) -> None:
        """Shape and content survive whatever the memory looks like."""
        array = LAYOUTS[layout]
        got = channel.call("echo", value=array)
        assert isinstance(got, np.ndarray)
        assert got.shape == array.shape
        np.testing.assert_array_equal(got, array)

    def test_big_endian_arrays_arrive_with_the_same_numbers(self, channel: RpcChannel) -> None:
        """Byte order is the wire's business."""
        array = np.arange(2000, dtype=">i4")
        np.testing.assert_array_equal(channel.call("echo", value=array), array)

    def test_nan_and_infinity_arrive(self, channel: RpcChannel) -> None:
        """Floats are not JSON's."""
        array = np.array([np.nan, np.inf, -np.inf, -0.0])
        np.testing.assert_array_equal(channel.call("echo", value=array), array)

    def test_nested_plain_data_arrives_as_it_was(self, channel: RpcChannel) -> None:
        """Everything that JSON has, bytes and integer keys besides; tuples become lists."""
        value: dict[str, Any] = {
            "none": None,
            "flags": [True, False],
            "numbers": [0, -1, 2**63 - 1, -(2**63), 1.5],
            "text": "grüße 🦾",
            "bytes": b"\x00\xff" * 4000,
            "by_number": {1: "one", 2: {"deep": [[], {}]}},
            "tuple": (1, (2, 3)),
        }
        assert channel.call("echo", value=value) == {**value, "tuple": [1, [2, 3]]}

    def test_numpy_scalars_arrive_as_numbers(self, channel: RpcChannel) -> None:
        """A handler need not convert what numpy gives it."""
        got = channel.call("echo", value=[np.float32(0.5), np.int64(7), np.bool_(True)])
        assert got == [0.5, 7, True]
        assert [type(item) for item in got] == [float, int, bool]

    def test_received_arrays_are_read_only(self, channel: RpcChannel) -> None:
        """They are views of the received message."""
        with pytest.raises(ValueError, match="read-only"):
            channel.call("echo", value=np.zeros(5000))[0] = 1

    @pytest.mark.parametrize(
        "value",
        [
            object(),
            {1, 2},
            np.array([object()]),
            np.array(["text"]),
            np.zeros(2, "M8[s]"),
            2**64,
            lambda: None,
        ],
        ids=["object", "set", "object_array", "text_array", "time_array", "huge_integer", "function"],
    )
    def test_what_is_not_plain_is_refused_before_it_is_sent(self, channel: RpcChannel, value: Any) -> None:
        """Nothing is pickled, whatever it is."""
        with pytest.raises(FrameError):
            channel.call("echo", value=value)
        assert channel.call("echo", value=1) == 1
