"""Thrift's strict binary protocol, framed: bytes to values and back, without I/O and without a Thrift library.

Used by protocol.py, which says which structures there are. A structure is a NamedTuple class with a table of its fields;
unknown fields are skipped, so that a newer host agent may say more than this runtime understands.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any

CALL, REPLY, EXCEPTION, ONEWAY = 1, 2, 3, 4

STOP, BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST = 0, 2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 15

_STRICT = 0x80010000
_FIXED = {BOOL: 1, BYTE: 1, DOUBLE: 8, I16: 2, I32: 4, I64: 8}

_field = Struct("!Bh")
_i16 = Struct("!h")
_i32 = Struct("!i")
_u32 = Struct("!I")
_i64 = Struct("!q")
_list = Struct("!Bi")
_map = Struct("!BBi")

Encoder = Callable[[list[bytes], Any], None]
Decoder = Callable[[bytes, int], tuple[Any, int]]


class ProtocolError(Exception):
    """The bytes are not a message of this protocol: the connection is of no more use."""


class Type:
    """How one Thrift type is written and read."""

    __slots__ = ("code", "decode", "encode")

    def __init__(self, code: int, encode: Encoder, decode: Decoder) -> None:
        self.code = code
        self.encode = encode
        self.decode = decode


def _scalar(code: int, packer: Struct) -> Type:
    pack, unpack, size = packer.pack, packer.unpack_from, packer.size

    def encode(out: list[bytes], value: int) -> None:
        out.append(pack(value))

    def decode(data: bytes, at: int) -> tuple[int, int]:
        return unpack(data, at)[0], at + size

    return Type(code, encode, decode)


def _encode_bytes(out: list[bytes], value: Any) -> None:
    out.append(_i32.pack(len(value)))
    out.append(value)


def _decode_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    end = at + 4 + _size(data, at)
    return data[at + 4 : end], end


def _encode_text(out: list[bytes], value: str) -> None:
    _encode_bytes(out, value.encode("utf-8", "replace"))


def _decode_text(data: bytes, at: int) -> tuple[str, int]:
    end = at + 4 + _size(data, at)
    return str(data[at + 4 : end], "utf-8"), end


def _encode_bool(out: list[bytes], value: bool) -> None:
    out.append(b"\1" if value else b"\0")


def _decode_bool(data: bytes, at: int) -> tuple[bool, int]:
    return data[at] != 0, at + 1


def _size(data: bytes, at: int) -> int:
    size = _i32.unpack_from(data, at)[0]
    if size < 0 or at + 4 + size > len(data):
        raise ProtocolError(f"a size of {size} at byte {at} of a message of {len(data)}")
    return size


SHORT = _scalar(I16, _i16)
INT = _scalar(I32, _i32)
LONG = _scalar(I64, _i64)
BINARY = Type(STRING, _encode_bytes, _decode_bytes)
TEXT = Type(STRING, _encode_text, _decode_text)
FLAG = Type(BOOL, _encode_bool, _decode_bool)


def list_of(item: Type) -> Type:
    def encode(out: list[bytes], values: Any) -> None:
        out.append(_list.pack(item.code, len(values)))
        for value in values:
            item.encode(out, value)

    def decode(data: bytes, at: int) -> tuple[tuple[Any, ...], int]:
        code, count = _list.unpack_from(data, at)
        at += 5
        if count and code != item.code:
            raise ProtocolError(f"a list of type {code} where {item.code} was expected")
        values = []
        for _ in range(count):
            value, at = item.decode(data, at)
            values.append(value)
        return tuple(values), at

    return Type(LIST, encode, decode)


def _encode_map(out: list[bytes], value: dict[str, str]) -> None:
    out.append(_map.pack(STRING, STRING, len(value)))
    for key, item in value.items():
        _encode_text(out, key)
        _encode_text(out, item)


def _decode_map(data: bytes, at: int) -> tuple[dict[str, str], int]:
    key_code, value_code, count = _map.unpack_from(data, at)
    at += 6
    if count and (key_code, value_code) != (STRING, STRING):
        raise ProtocolError("a map of other types than string to string")
    values = {}
    for _ in range(count):
        key, at = _decode_text(data, at)
        values[key], at = _decode_text(data, at)
    return values, at


TEXT_MAP = Type(MAP, _encode_map, _decode_map)


def struct_of(cls: Any, *fields: tuple[int, Type, bool]) -> Type:
    """A NamedTuple class as a Thrift structure.

    :param fields: number, type and whether it is required, in the order of the class's own fields
    """
    writers = [(_field.pack(kind.code, number), kind.encode) for number, kind, _ in fields]
    places = {number: (place, kind.code, kind.decode) for place, (number, kind, _) in enumerate(fields)}
    required = [place for place, (_, _, needed) in enumerate(fields) if needed]
    width = len(fields)

    def encode(out: list[bytes], value: Any) -> None:
        for (head, write), item in zip(writers, value, strict=True):
            if item is not None:
                out.append(head)
                write(out, item)
        out.append(b"\0")

    def decode(data: bytes, at: int) -> tuple[Any, int]:
        values: list[Any] = [None] * width
        while (code := data[at]) != STOP:
            known = places.get(_i16.unpack_from(data, at + 1)[0])
            at += 3
            if known is None or known[1] != code:
                at = skip(data, at, code)
            else:
                values[known[0]], at = known[2](data, at)
        for place in required:
            if values[place] is None:
                raise ProtocolError(f"a {cls.__name__} without its {cls._fields[place]}")
        return cls._make(values), at + 1

    return Type(STRUCT, encode, decode)


def union_of(*members: tuple[int, Any, Type]) -> Type:
    """A Thrift union: exactly one of its members, told apart by the value's class."""
    writers = {cls: (_field.pack(kind.code, number), kind.encode) for number, cls, kind in members}
    readers = {number: kind.decode for number, _, kind in members}

    def encode(out: list[bytes], value: Any) -> None:
        head, write = writers[type(value)]
        out.append(head)
        write(out, value)
        out.append(b"\0")

    def decode(data: bytes, at: int) -> tuple[Any, int]:
        value = None
        while (code := data[at]) != STOP:
            read = readers.get(_i16.unpack_from(data, at + 1)[0])
            at += 3
            if read is None:
                at = skip(data, at, code)
            else:
                value, at = read(data, at)
        return value, at + 1

    return Type(STRUCT, encode, decode)


def skip(data: bytes, at: int, code: int) -> int:
    """Past a value of a field that is not known here."""
    if code in _FIXED:
        return at + _FIXED[code]
    if code == STRING:
        return at + 4 + _size(data, at)
    if code == STRUCT:
        while data[at] != STOP:
            at = skip(data, at + 3, data[at])
        return at + 1
    if code in (LIST, SET):
        item, count = _list.unpack_from(data, at)
        at += 5
        for _ in range(count):
            at = skip(data, at, item)
        return at
    if code == MAP:
        key, value, count = _map.unpack_from(data, at)
        at += 6
        for _ in range(count):
            at = skip(data, skip(data, at, key), value)
        return at
    raise ProtocolError(f"no such type: {code}")


def message(kind: int, method: str, sequence: int, body: list[bytes]) -> bytes:
    """One frame: length, message header, arguments or result."""
    name = method.encode()
    content = b"".join((_u32.pack(_STRICT | kind), _i32.pack(len(name)), name, _i32.pack(sequence), *body))
    return _i32.pack(len(content)) + content


def header(data: bytes) -> tuple[int, str, int, int]:
    """Kind, method, sequence number and where the body begins, of a frame without its length."""
    word = _u32.unpack_from(data, 0)[0]
    if word & 0xFFFF0000 != _STRICT:
        raise ProtocolError("not a message of the strict binary protocol")
    method, at = _decode_text(data, 4)
    return word & 0xFF, method, _i32.unpack_from(data, at)[0], at + 4
