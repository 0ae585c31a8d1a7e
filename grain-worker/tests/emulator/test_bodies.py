"""What a body is taken for at the door."""

import io

import numpy
import pytest

from sand.emulator import bodies
from sand.values import JSON, NPY, OCTETS


def _npy(array: numpy.ndarray, version: tuple[int, int] | None = None) -> bytes:
    written = io.BytesIO()
    numpy.lib.format.write_array(written, array, version=version)
    return written.getvalue()


@pytest.mark.parametrize("version", [None, (1, 0), (2, 0), (3, 0)])
def test_an_array_that_numpy_writes_is_one(version: tuple[int, int] | None) -> None:
    for array in (numpy.arange(6.0).reshape(2, 3), numpy.zeros(0), numpy.array(7), numpy.array([(1, 2.0)], "i4,f8")):
        assert bodies.check(NPY, _npy(array, version)) is None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"[1, 2]", "does not begin as one"),
        (_npy(numpy.zeros(3))[1:], "does not begin as one"),
        (_npy(numpy.zeros(3))[:9], "does not begin as one"),
        (b"\x93NUMPY\x09\x00" + bytes(20), "of version 9.0"),
        (_npy(numpy.zeros(3))[:60], "ends behind the body"),
        (b"\x93NUMPY\x02\x00" + (1 << 18 | 1).to_bytes(4, "little") + bytes(1 << 19), "the limit is 262144"),
        (b"\x93NUMPY\x01\x00\x04\x00{  }", "does not say what is in it"),
    ],
)
def test_what_is_no_array_is_refused_where_it_is_said_to_be_one(body: bytes, why: str) -> None:
    refused = bodies.check(NPY, body)
    assert refused is not None
    assert (refused.status, refused.name) == (400, "bad-request")
    assert why in refused.detail
    assert bodies.check(OCTETS, body) is None


def test_json_is_looked_at_and_nothing_is_what_its_type_says() -> None:
    assert bodies.check(JSON, b"{") is not None
    assert bodies.check(JSON, b"{}") is None
    assert bodies.check(JSON, b"") is None
    assert bodies.check(NPY, b"") is None
