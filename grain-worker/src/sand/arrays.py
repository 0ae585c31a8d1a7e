"""numpy arrays in the .npy format. Imported only for a payload that is one; numpy comes from the grain's own dependencies."""

from __future__ import annotations

import io
from typing import Any

from sand.errors import BadRequest, Unserializable
from sand.messages import DataReference


def encode(array: Any, what: str) -> tuple[Any, ...]:
    """Header and data; the data is the array's own memory when it is contiguous."""
    import numpy

    if array.dtype.hasobject:
        raise Unserializable(f"{what} is an array of Python objects; only arrays of numbers, text and records travel")
    if type(array) is not numpy.ndarray and isinstance(array, numpy.ma.MaskedArray):
        # What it hides would be there again, and nothing would say so.
        raise Unserializable(f"{what} is a masked array, whose mask does not travel; .filled() is an array")
    header = io.BytesIO()
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    data = array.T if fortran else numpy.ascontiguousarray(array)
    description = {
        "descr": numpy.lib.format.dtype_to_descr(array.dtype),
        "fortran_order": bool(fortran),
        "shape": array.shape,
    }
    numpy.lib.format.write_array_header_2_0(header, description)
    return header.getvalue(), data.reshape(-1).view(numpy.uint8).data if array.size else b""


def decode(data: Any) -> Any:
    """An array over the payload's memory: read-only, nothing is copied."""
    try:
        import numpy
    except ImportError as missing:
        raise BadRequest(f"the payload is a numpy array, and the grain has no numpy: {missing}") from None
    source = io.BytesIO(bytes(memoryview(data)[:65536]))
    try:
        version = numpy.lib.format.read_magic(source)
        read = numpy.lib.format.read_array_header_1_0 if version == (1, 0) else numpy.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(source)
        if dtype.hasobject:
            raise ValueError("an array of Python objects")
        flat = numpy.frombuffer(data, dtype=dtype, offset=source.tell(), count=_count(shape))
    except ValueError as broken:
        raise BadRequest(f"the payload is not a readable .npy array: {broken}") from None
    array = flat.reshape(shape, order="F" if fortran else "C")
    array.flags.writeable = False
    return array


def copy(data: bytes | None, reference: DataReference | None, segments: Any) -> Any:
    """The same with memory of its own. :param data: or, when it is large, the reference to it"""
    if data is not None:
        return decode(data).copy()
    try:
        import numpy
    except ImportError:
        return decode(b"")  # which says so
    array = decode(segments.read_into(reference.object, lambda size: numpy.empty(size, numpy.uint8)))
    array.flags.writeable = True
    return array


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count
