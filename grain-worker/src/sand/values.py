"""Handlers' values as payloads and back: JSON, bytes, numpy arrays. Large ones go through segments.py."""

from __future__ import annotations

import sys
from json import JSONDecoder, JSONEncoder
from json.encoder import c_make_encoder, encode_basestring
from typing import Any

from sand.errors import BadRequest, TooLarge, Unserializable
from sand.messages import DataReference, Payload
from sand.response import Response

JSON = "application/json"
OCTETS = "application/octet-stream"
NPY = "application/x-npy"
LIST = "application/x-sand-list"
INLINE_BYTES = 64 * 1024
OBJECT_BYTES = 1 << 30
LEVELS = 500
"""Arrays and objects may stand in each other so deep in what is written: there is room to read that, and what the platform puts
around it, wherever that is done. Bodies of HTTP may be as deep."""

_scan = JSONDecoder().scan_once


class _Decimals(TypeError):
    """The value has Decimals, which the encoder has no text for."""


def _other(value: Any) -> Any:
    """Numpy's numbers are numbers; everything else that JSON does not know is the handler's to convert."""
    decimal = sys.modules.get("decimal")
    if decimal is not None and isinstance(value, decimal.Decimal):
        raise _Decimals
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        if isinstance(value, numpy.void) and value.dtype.names is not None:
            return [value[name] for name in value.dtype.names]
        # In nanoseconds, say, a time's item is a whole number, as which nobody would know it again.
        item = value if isinstance(value, (numpy.datetime64, numpy.timedelta64)) else value.item()
        if not isinstance(item, numpy.generic):
            return item
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


_encoder = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_other)
# What JSONEncoder.encode makes anew for each value, made once: (value, depth) to text in parts.
_seen: dict[int, Any] = {}
_parts = (
    c_make_encoder(_seen, _other, encode_basestring, None, ":", ",", False, False, False)
    if c_make_encoder
    else lambda value, _: _encoder.iterencode(value)
)


def to_json(value: Any) -> bytes:
    """A Decimal is the number that it says, with all its digits."""
    try:
        text = "".join(_parts(value, 0))
    except _Decimals:
        _seen.clear()
        text = _with_decimals(value, _encoder)
    except BaseException:
        _seen.clear()
        raise
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8, but it has a JSON escape.
        return _with_decimals(value, JSONEncoder(allow_nan=False, separators=(",", ":"), default=_other)).encode()


def _check_levels(json: bytes) -> None:
    """:raises ValueError: it is nested too deeply"""
    if len(json) > 2 * LEVELS and json.count(b"[") + json.count(b"{") > LEVELS:
        from sand import nesting

        levels = nesting.deepest(json)
        if levels > LEVELS:
            raise ValueError(f"it is nested {levels} levels deep; the limit is {LEVELS}")


def _with_decimals(value: Any, encoder: JSONEncoder) -> str:
    if isinstance(value, dict):
        named = (encoder.encode({name: 0})[1:-2] + _with_decimals(each, encoder) for name, each in value.items())
        return "{" + ",".join(named) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_with_decimals(each, encoder) for each in value) + "]"
    try:
        return encoder.encode(value)
    except _Decimals:
        if not value.is_finite():
            raise ValueError(f"{value} is no number of JSON's") from None
        return str(value)


def from_json(data: Any) -> Any:
    """Without the detours of json.loads: a decoder that has run once has touched all that it needs."""
    try:
        text = str(data, "utf-8").strip(" \t\r\n")
        value, end = _scan(text, 0)
    except StopIteration as nothing:
        raise BadRequest(f"the payload is not JSON: nothing to read at character {nothing.value}") from None
    except (ValueError, RecursionError) as broken:
        raise BadRequest(f"the payload is not JSON that can be read: {_reason(broken)}") from None
    if end != len(text):
        raise BadRequest(f"the payload is not JSON: more after its end, at character {end}")
    return value


def encode(value: Any, event_id: str, what: str, segments: Any, inline_bytes: int = INLINE_BYTES) -> Payload:
    """A value as it travels.

    :param what: says in an error whose value it was
    :param segments: gives large values their object; see segments.py
    :param inline_bytes: from where on a value is large
    :raises Unserializable, TooLarge:
    """
    kind: str
    data: Any
    if type(value) is bytes and len(value) <= inline_bytes:
        return Payload(OCTETS, value, None)
    if type(value) is Response:
        kind, data = value.content_type, value.body
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise Unserializable(f"{what} is a Response whose body is a {type(data).__name__}, not bytes")
    elif isinstance(value, (bytes, bytearray, memoryview)):
        kind, data = OCTETS, value
    elif (array := _array(value)) is not None:
        kind, data = NPY, array
    else:
        kind = JSON
        try:
            data = to_json(value)
            _check_levels(data)
        except (TypeError, ValueError, RecursionError) as broken:
            raise Unserializable(f"{what} cannot be encoded: {_reason(broken)}") from None
    if kind is NPY:
        from sand import arrays

        parts = arrays.encode(data, what)
        size = sum([memoryview(part).nbytes for part in parts])
    else:
        parts = (data,)
        size = len(data) if type(data) is bytes else memoryview(data).nbytes
    if size <= inline_bytes:
        return Payload(kind, b"".join(parts) if kind is NPY else bytes(data), None)
    if size > OBJECT_BYTES:
        raise TooLarge(f"{what} has {size} bytes; the limit is {OBJECT_BYTES}")
    return Payload(kind, None, DataReference(segments.store(event_id, parts, size), size))


def _reason(broken: Exception) -> str:
    return f"it is nested too deeply; the limit is {LEVELS} levels" if isinstance(broken, RecursionError) else str(broken)


def _array(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    return value if numpy is not None and isinstance(value, numpy.ndarray) else None


def copy(payload: Payload, segments: Any) -> Any:
    """As decode, of memory that is the caller's own: an array that can be written, bytes."""
    kind, data, reference = payload
    if kind == NPY:
        from sand import arrays

        return arrays.copy(data, reference, segments)
    if data is None and kind != LIST:
        payload = Payload(kind, segments.read(reference.object))
    value = decode(payload, segments)
    return bytes(value) if isinstance(value, memoryview) else value


def decode(payload: Payload, segments: Any, shared: bool = False) -> Any:
    """The value a handler gets: decoded JSON, an array, or bytes (a read-only memoryview when it is large).

    :param shared: of a large one, over the memory that all who read it have
    """
    kind, data, reference = payload
    if data is None:
        data = segments.load(reference.object) if shared else segments.view(reference.object)
    if kind.startswith(JSON):
        return from_json(data)
    if kind == NPY:
        from sand import arrays

        return arrays.decode(data)
    if kind == LIST:
        from sand import lists

        return lists.decode(data, decode)
    return data if isinstance(data, (bytes, memoryview)) else bytes(data)
