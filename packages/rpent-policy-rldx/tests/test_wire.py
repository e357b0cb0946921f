import contextlib
import io

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent.errors import PolicyError
from rpent_policy_rldx.wire import MAX_MESSAGE_BYTES, modality, pack, unpack


@pytest.mark.parametrize("dtype", ["u1", "<f4", "<f8", ">i2", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back_as_they_were_and_can_be_written_to(dtype, order):
    array = np.asarray(np.arange(24).reshape(2, 3, 4).astype(dtype), order=order)
    (back,) = unpack(pack([array]))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    back[0] = 0


def test_an_array_is_a_npy_file():
    plain = msgpack.unpackb(pack({"a": np.arange(3)}))
    assert plain["a"]["__ndarray_class__"] is True
    np.testing.assert_array_equal(np.load(io.BytesIO(plain["a"]["as_npy"]), allow_pickle=False), np.arange(3))


def test_modalities_are_maps_or_json():
    fields = modality(keys=["front"], deltas=[-2, 0])
    assert unpack(pack(fields))["modality_keys"] == ["front"]
    text = {"__ModalityConfig_class__": True, "as_json": '{"modality_keys": ["a"], "delta_indices": [0]}'}
    assert unpack(pack(text))["delta_indices"] == [0]


@pytest.mark.parametrize("value", [np.array([object()]), np.zeros(2, "c8"), np.array(["a"]), object()])
def test_what_is_not_carried_is_not_sent(value):
    with pytest.raises(PolicyError, match="cannot be written"):
        pack({"a": value})


def npy(header, body=b"\0" * 8):
    text = header.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


@pytest.mark.parametrize(
    "data",
    [
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n"),
        npy("__import__('os').abort()\n"),
        b"\x93NUMPY\x03\x00",
        b"PK\x03\x04",
        b"",
        5,
    ],
)
def test_an_array_that_is_none_is_refused_before_memory_is_taken(data):
    message = msgpack.packb({"a": {"__ndarray_class__": True, "as_npy": data}})
    with pytest.raises(PolicyError, match="not RLDX's msgpack"):
        unpack(message)


def test_a_pickle_is_not_read():
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(PolicyError):
        unpack(msgpack.packb({"__ndarray_class__": True, "as_npy": file.getvalue()}))


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
    with pytest.raises(PolicyError, match="not RLDX's msgpack"):
        unpack(data[:MAX_MESSAGE_BYTES])
