"""Several values in one payload: the input of a function that several messages invoke, when one of them is no JSON.

An item: length of its type (u16), its type, its size (u64), zeros up to a multiple of 64, its bytes, zeros up to a multiple of
64; big-endian, counted from the payload's beginning. So arrays lie as they would alone. Imported only for such a payload.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from struct import error as StructError
from typing import Any

from sand.errors import BadRequest
from sand.messages import Payload
from sand.values import INLINE_BYTES

_ALIGNMENT = 64
_type_size = Struct("!H")
_size = Struct("!Q")


def encode(items: list[tuple[str, bytes]]) -> bytes:
    """Of types and bytes."""
    parts: list[bytes] = []
    for kind, data in items:
        name = kind.encode()
        head = _type_size.pack(len(name)) + name + _size.pack(len(data))
        parts += (head, bytes(-len(head) % _ALIGNMENT), data, bytes(-len(data) % _ALIGNMENT))
    return b"".join(parts)


def decode(data: Any, value: Callable[[Payload, Any], Any]) -> list[Any]:
    """:param value: values.decode"""
    view = memoryview(data)
    found = []
    at = 0
    try:
        while at < len(view):
            end = at + 2 + _type_size.unpack_from(view, at)[0]
            kind = str(view[at + 2 : end], "utf-8")
            size = _size.unpack_from(view, end)[0]
            at = _aligned(end + 8)
            if at + size > len(view):
                raise ValueError("it is cut")
            part: Any = view[at : at + size]
            found.append(value(Payload(kind, part if size > INLINE_BYTES else bytes(part)), None))
            at = _aligned(at + size)
    except (ValueError, StructError) as broken:
        raise BadRequest(f"the payload is no list of values: {broken}") from None
    return found


def _aligned(at: int) -> int:
    return at + -at % _ALIGNMENT
