import contextlib

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent.errors import PolicyError
from rpent_policy_openpi.wire import MAX_MESSAGE_BYTES, pack, unpack


@pytest.mark.parametrize("dtype", ["u1", "<i8", ">i4", "<f2", "<f4", "<f8", "?"])
def test_arrays_come_back_as_they_were_and_can_be_written_to(dtype):
    array = np.arange(12).reshape(3, 4).astype(dtype)
    back = unpack(pack({"observation": {"image": array[:, ::2]}, "prompt": "grüß"}))
    assert back["prompt"] == "grüß"
    image = back["observation"]["image"]
    assert image.dtype == array.dtype
    np.testing.assert_array_equal(image, array[:, ::2])
    image[0, 0] = 1


def test_scalars_and_empty_arrays():
    back = unpack(pack([np.float32(1.5), np.zeros((0, 7), np.float32), np.array(3)]))
    assert isinstance(back[0], np.float32)
    assert back[0] == 1.5
    assert back[1].shape == (0, 7)
    assert back[2].shape == ()


def test_the_bytes_are_openpis():
    plain = msgpack.unpackb(pack({"a": np.array([1, 2], "<f4")}))
    assert plain == {
        "a": {
            b"__ndarray__": True,
            b"data": np.array([1, 2], "<f4").tobytes(),
            b"dtype": "<f4",
            b"shape": [2],
        }
    }


@pytest.mark.parametrize("value", [np.array([object()]), np.zeros(2, "c8"), np.zeros(2, "i4,f4"), object()])
def test_what_the_protocol_does_not_carry_is_not_sent(value):
    with pytest.raises(PolicyError, match="cannot be written"):
        pack({"a": value})


def array(**changes):
    fields = {"__ndarray__": True, "data": b"\0" * 8, "dtype": "<f4", "shape": [2]} | changes
    return msgpack.packb({"a": {key.encode(): value for key, value in fields.items()}})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"not msgpack",
        array(dtype="O"),
        array(dtype="|V8", shape=[1]),
        array(dtype="<c8", shape=[1]),
        array(dtype="i4,i4", shape=[1]),
        array(dtype=5),
        array(dtype="nonsense"),
        array(shape=[3]),
        array(shape=[-1]),
        array(shape=[2**62, 2**62]),
        array(shape=[0, 2**63], data=b""),
        array(shape="2"),
        array(data=None),
        array(shape=[1] * 20 + [2]),
        b"\x91" * 5000 + b"\x01",
        msgpack.packb({b"__npgeneric__": True, b"data": 10**15, b"dtype": "|i1"}),
        pack(np.arange(5)) + b"\0",
    ],
)
def test_what_is_no_message_is_refused_in_one_sentence(data):
    with pytest.raises(PolicyError, match="not openpi's msgpack"):
        unpack(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_policy_error(data):
    with contextlib.suppress(PolicyError):
        unpack(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\xdd\x00\x10\x00\x00" + b"\x80" * 2**20,
        (b"\xdc\x10\x00" + b"\x90" * 2**12) * 30,
        b"\xdc\x00\x40" + (b"\xdc\x10\x00" + b"\x80" * 2**12) * 64,
        b"\xdc\x00\x40" + (b"\xdc\x10\x00" + b"\x90" * 2**12) * 64,
        b"\xdd\x03\xff\xff\xff" * 400 + bytes(2**26),
    ],
    ids=["long-list", "trailing", "many-maps", "many-lists", "nested-long-lists"],
)
def test_a_message_that_would_fill_the_memory_is_refused(data):
    with pytest.raises(PolicyError, match="not openpi's msgpack"):
        unpack(data[:MAX_MESSAGE_BYTES])
