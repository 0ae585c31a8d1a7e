"""numpy arrays in the .npy format. Imported only for a payload that is one; numpy comes from the grain's own dependencies."""

from __future__ import annotations

import inspect
import io
from functools import cache, lru_cache
from typing import Any

from sand.errors import BadRequest, Unserializable
from sand.messages import DataReference

HEADER_BYTES = 256 << 10
"""What names and types of a record's fields may take, written and read: about 10,000 fields."""
LEVELS = 32
"""Records may stand in records so deep."""
_ALIGNMENT = 64
_MAGIC_BYTES = 8
_VERSIONS = {b"\x93NUMPY" + bytes(version): version for version in ((1, 0), (2, 0), (3, 0))}
_SHORT_BYTES = 256
_NUMBERS = "biufc"


def encode(array: Any, what: str) -> tuple[Any, ...]:
    """Header and data; the data is the array's own memory when it is contiguous. Whatever is written here, decode reads.

    :raises Unserializable:
    """
    import numpy

    if array.dtype.hasobject:
        raise Unserializable(f"{what} is an array of Python objects; only arrays of numbers, text and records travel")
    if type(array) is not numpy.ndarray and isinstance(array, numpy.ma.MaskedArray):
        # What it hides would be there again, and nothing would say so.
        raise Unserializable(f"{what} is a masked array, whose mask does not travel; .filled() is an array")
    if not array.dtype.itemsize:
        raise Unserializable(f"{what} is an array of {array.dtype}, whose elements have no bytes")
    _check_levels(array.dtype, what)
    # Of numbers, which most are, the type's name says all; what numpy asks takes longer than many a function.
    plain = array.dtype.isbuiltin == 1 and array.dtype.kind in _NUMBERS
    described = array.dtype.str if plain else _described(array.dtype)
    if described is None:  # a selection of fields in another order, say, is a view of memory that has them in theirs
        array = array.astype(_packed(array.dtype))
        described = _described(array.dtype)
        if described is None:
            raise Unserializable(f"{what} is an array of {array.dtype!s:.100}, for which the .npy format has no words")
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    data = array.T if fortran else numpy.ascontiguousarray(array)
    header = (_header_of if plain else _header_of.__wrapped__)(described, bool(fortran), array.shape, what)
    return header, data.reshape(-1).view(numpy.uint8).data if array.size else b""


@lru_cache(maxsize=64)
def _header_of(described: Any, fortran: bool, shape: tuple[int, ...], what: str) -> bytes:
    import numpy

    # All of it in ASCII: names may have letters that version 2.0 has not, and 3.0 no reader of numpy's that is public.
    text = ascii({"descr": described, "fortran_order": fortran, "shape": shape}).encode()
    text += b" " * (-(_MAGIC_BYTES + 4 + len(text) + 1) % _ALIGNMENT) + b"\n"
    if len(text) > HEADER_BYTES:
        raise Unserializable(f"{what} is an array whose fields take a header of {len(text)} bytes; the limit is {HEADER_BYTES}")
    return numpy.lib.format.magic(2, 0) + len(text).to_bytes(4, "little") + text


def _check_levels(dtype: Any, what: str, level: int = 0) -> None:
    if dtype.base.names is None:
        return
    if level == LEVELS:
        raise Unserializable(f"{what} is an array of records in records, more than {LEVELS} levels deep")
    for name in dtype.base.names:
        _check_levels(dtype.base.fields[name][0], what, level + 1)


def _described(dtype: Any) -> Any:
    """As the header says it; None: it cannot say that."""
    import numpy

    try:
        described = numpy.lib.format.dtype_to_descr(dtype)
        is_same = dtype.isbuiltin == 1 or numpy.lib.format.descr_to_dtype(described) == dtype
    except (ValueError, TypeError):
        return None
    return described if is_same else None


def _packed(dtype: Any) -> Any:
    """The same fields in the same order, one behind another."""
    import numpy

    if dtype.subdtype is not None:
        return numpy.dtype((_packed(dtype.base), dtype.shape))
    if dtype.names is None:
        return dtype
    fields = [dtype.fields[name] for name in dtype.names]
    titles = [field[2] if len(field) > 2 else None for field in fields]
    return numpy.dtype({"names": dtype.names, "formats": [_packed(field[0]) for field in fields], "titles": titles})


def decode(data: Any) -> Any:
    """An array over the payload's memory: read-only, nothing is copied."""
    try:
        import numpy
    except ImportError as missing:
        raise BadRequest(f"the payload is a numpy array, and the grain has no numpy: {missing}") from None
    try:
        shape, fortran, dtype, start = _header(memoryview(data))
        if dtype.hasobject:
            raise ValueError("an array of Python objects")
        flat = numpy.frombuffer(data, dtype=dtype, offset=start, count=_count(shape))
        array = flat if len(shape) == 1 else flat.reshape(shape, order="F" if fortran else "C")
    except Exception as broken:  # numpy evaluates the header, and has no list of what it raises about it
        raise BadRequest(f"the payload is not a readable .npy array: {broken}") from None
    array.flags.writeable = False
    return array


def _header(data: memoryview) -> tuple[tuple[int, ...], bool, Any, int]:
    """Shape, order, type, and where the elements begin."""
    version = _VERSIONS.get(bytes(data[:_MAGIC_BYTES]))
    if version is None:
        import numpy

        version = numpy.lib.format.read_magic(io.BytesIO(data[:_MAGIC_BYTES]))  # which says what else it is
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"it is of version {version}")
    start = _MAGIC_BYTES + (2 if version == (1, 0) else 4)
    length = int.from_bytes(data[_MAGIC_BYTES:start], "little")
    if length > HEADER_BYTES:
        raise ValueError(f"its header has {length} bytes; the limit is {HEADER_BYTES}")
    text = bytes(data[start : start + length])
    if len(text) < length:
        raise ValueError("it ends in its header")
    read = _read if length <= _SHORT_BYTES else _read.__wrapped__
    return *read(text, version), start + length


@lru_cache(maxsize=64)
def _read(text: bytes, version: tuple[int, int]) -> tuple[tuple[int, ...], bool, Any]:
    """What a header says. Numpy reads it as a program; most of a function's arrays have one of a few."""
    import numpy

    if version == (3, 0):  # the same as 2.0, but for letters in names
        text = text.decode().encode("ascii", "backslashreplace")
    read = numpy.lib.format.read_array_header_2_0
    bound = {"max_header_size": len(text)} if _has_bound() else {}  # of ours is the one above
    return read(io.BytesIO(len(text).to_bytes(4, "little") + text), **bound)


@cache
def _has_bound() -> bool:
    """Whether this version of numpy has a bound of its own for headers."""
    import numpy

    return "max_header_size" in inspect.signature(numpy.lib.format.read_array_header_2_0).parameters


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
