"""The data plane's frames as bytes and back (docs/DATA-PLANE.md). No I/O; the Java side reads the same vectors."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

VERSION = 1
PREFACE = b"SDP1"
INLINE_BYTES = 64 << 10
FRAME_BYTES = 256 << 10
PART_BYTES = 1 << 20
PART = 5
PART_HEAD = struct.Struct(">IBQ")
# At once, of what may be anything: a frame with the largest value in it, and little of a part, which is copied from there.
_READ_BYTES = INLINE_BYTES + (4 << 10)
STATUSES = ("FAILED", "TIMED_OUT", "CANCELLED")
SOURCES = ("PLATFORM", "GRAIN", "CALLER")
_TEXT_BYTES = 65_535
# No value has more: a size is a number that all languages have.
_SIZE = (1 << 63) - 1


class BadFrame(Exception):
    """It was not sent by who speaks this protocol."""


class Hello(NamedTuple):
    version: int
    grant: str
    client: str


class Welcome(NamedTuple):
    version: int
    host: str
    process: str
    epoch: int
    now_ms: int
    in_flight: int
    value_bytes: int
    part_bytes: int
    idle_ms: int


class Refused(NamedTuple):
    error: str
    cause: str
    retryable: bool


class Invoke(NamedTuple):
    request: int
    id: str
    repeated: bool
    deadline_ms: int
    function: str
    content_type: str
    size: int
    first: bytes


class Part(NamedTuple):
    request: int
    bytes: bytes


class Result(NamedTuple):
    request: int
    execution: str
    content_type: str
    size: int
    first: bytes


class Failed(NamedTuple):
    request: int
    status: str
    source: str
    retryable: bool
    execution: str
    error: str
    cause: str
    stack_trace: str


class Cancel(NamedTuple):
    request: int


class Ping(NamedTuple):
    number: int


class Pong(NamedTuple):
    number: int


class Moved(NamedTuple):
    request: int
    address: str


class GoAway(NamedTuple):
    error: str
    cause: str


class Got(NamedTuple):
    request: int


# Kind by kind, the fields in their order: u8 … u64, flag, text, one of a list, the rest of the frame.
_STATUS, _SOURCE = STATUSES, SOURCES
_SHAPES: dict[int, tuple[type, tuple[Any, ...]]] = {
    1: (Hello, ("H", "t", "t")),
    2: (Welcome, ("H", "t", "t", "Q", "Q", "I", "Q", "I", "I")),
    3: (Refused, ("t", "t", "?")),
    4: (Invoke, ("Q", "t", "?", "I", "t", "t", "Q", "r")),
    5: (Part, ("Q", "r")),
    6: (Result, ("Q", "t", "t", "Q", "r")),
    7: (Failed, ("Q", _STATUS, _SOURCE, "?", "t", "t", "t", "t")),
    8: (Cancel, ("Q",)),
    9: (Ping, ("Q",)),
    10: (Pong, ("Q",)),
    11: (Moved, ("Q", "t")),
    12: (GoAway, ("t", "t")),
    13: (Got, ("Q",)),
}
_KINDS = {shape[0]: (kind, shape[1]) for kind, shape in _SHAPES.items()}
_NUMBERS = {code: struct.Struct(">" + code) for code in "HIQ"}


# Of what each call has, its bytes by hand: the shapes above say the same, and what does not fit is theirs.
_INVOKE_HEAD, _INVOKE_MIDDLE = struct.Struct(">IBQH"), struct.Struct(">?IH")
_INVOKE_BYTES = 28
_RESULT_HEAD = struct.Struct(">QH")


def limit(kind: int) -> int:
    """The most that a frame of that kind may have, its kind included."""
    return PART_BYTES + 9 if kind == PART else FRAME_BYTES


def encode(frame: Any) -> bytes:
    if type(frame) is Invoke:
        return _invoke(frame)
    return _encode(frame)


def _invoke(frame: Invoke) -> bytes:
    request, id, repeated, deadline_ms, function, content_type, size, first = frame
    texts = id.encode(), function.encode(), content_type.encode()
    lengths = len(texts[0]), len(texts[1]), len(texts[2])
    if max(lengths) > _TEXT_BYTES:
        return _encode(frame)
    return b"".join(
        (
            _INVOKE_HEAD.pack(_INVOKE_BYTES + sum(lengths) + len(first), 4, request, lengths[0]),
            texts[0],
            _INVOKE_MIDDLE.pack(repeated, deadline_ms, lengths[1]),
            texts[1],
            _NUMBERS["H"].pack(lengths[2]),
            texts[2],
            _NUMBERS["Q"].pack(size),
            first,
        )
    )


def _encode(frame: Any) -> bytes:
    kind, fields = _KINDS[type(frame)]
    parts = [bytes((kind,))]
    for field, value in zip(fields, frame, strict=True):
        if field == "t":
            text = value.encode()
            if len(text) > _TEXT_BYTES:
                text = text[:_TEXT_BYTES].decode(errors="ignore").encode()
            parts.append(_NUMBERS["H"].pack(len(text)))
            parts.append(text)
        elif field == "r":
            parts.append(value)
        elif field == "?":
            parts.append(b"\1" if value else b"\0")
        elif isinstance(field, tuple):
            parts.append(bytes((field.index(value),)))
        else:
            parts.append(_NUMBERS[field].pack(value))
    body = b"".join(parts)
    return _NUMBERS["I"].pack(len(body)) + body


def decode(frame: bytes | bytearray | memoryview) -> Any:
    """:param frame: without its length :return: None for a kind that a newer version knows :raises BadFrame:"""
    view = memoryview(frame)
    if not len(view):
        raise BadFrame("a frame that ends too early")
    shape = _SHAPES.get(view[0])
    if shape is None:
        return None
    made = _result(view) if shape[0] is Result else None
    if made is None:
        made = _decode(view, *shape)
    if isinstance(made, (Invoke, Result)):
        if made.size > _SIZE:
            raise BadFrame(f"a value of {made.size} bytes, and none has more than {_SIZE}")
        if len(made.first) != (made.size if made.size <= INLINE_BYTES else 0):
            raise BadFrame(f"a value of {made.size} bytes, with {len(made.first)} of them in its first frame")
    return made


def _result(view: memoryview) -> Result | None:
    """None: it is none."""
    try:
        request, length = _RESULT_HEAD.unpack_from(view, 1)
        end = 11 + length
        execution = str(view[11:end], "utf-8")
        at = end + 2
        end = at + _NUMBERS["H"].unpack_from(view, end)[0]
        (size,) = _NUMBERS["Q"].unpack_from(view, end)
        return Result(request, execution, str(view[at:end], "utf-8"), size, bytes(view[end + 8 :]))
    except (struct.error, UnicodeDecodeError):
        return None


def _decode(view: memoryview, made: type, fields: tuple[Any, ...]) -> Any:
    values, at = [], 1
    try:
        for field in fields:
            value, at = _field(view, at, field)
            values.append(value)
    except (struct.error, IndexError):
        raise BadFrame("a frame that ends too early") from None
    return made(*values)


def _field(view: memoryview, at: int, field: Any) -> tuple[Any, int]:
    if field == "t":
        (length,) = _NUMBERS["H"].unpack_from(view, at)
        text = view[at + 2 : at + 2 + length]
        if len(text) < length:
            raise BadFrame("a frame that ends too early")
        try:
            return str(text, "utf-8"), at + 2 + length
        except UnicodeDecodeError:
            raise BadFrame("text that is not UTF-8") from None
    if field == "r":
        return bytes(view[at:]), len(view)
    if field == "?":
        return view[at] != 0, at + 1
    if isinstance(field, tuple):
        if view[at] >= len(field):
            raise BadFrame(f"there is no {'Status' if field is _STATUS else 'Source'} {view[at]}")
        return field[view[at]], at + 1
    number = _NUMBERS[field]
    return number.unpack_from(view, at)[0], at + number.size


class Reader:
    """Cuts a stream into frames. Bytes of parts go where they belong as they come, and are not gathered before.

    :param receive: reads into a buffer, as `socket.recv_into` does; 0 at the end
    :param place: where the bytes of a request's part go: that many, or None to drop them
    """

    def __init__(self, receive: Callable[[memoryview], int], place: Callable[[int, int], memoryview | None]) -> None:
        self._receive = receive
        self._place = place
        self._buffer = bytearray(FRAME_BYTES + 4)
        self._view = memoryview(self._buffer)
        self._start = self._end = 0
        self._in_part = False

    @property
    def is_between_frames(self) -> bool:
        return not self._in_part and self._start == self._end

    def next(self, most: int | None = None) -> Any:
        """The next frame; for a part, one with no bytes, which have gone to their place.

        :param most: bytes of a frame; None: as many as one of its kind may have
        :raises EOFError, BadFrame:
        """
        while True:
            self._need(5)
            length, kind = struct.unpack_from(">IB", self._buffer, self._start)
            bound = limit(kind) if most is None else most
            if not 1 <= length <= bound:
                raise BadFrame(f"a frame of {length} bytes; the limit is {bound}")
            if kind == PART:
                return self._part(length)
            self._need(4 + length)
            frame = decode(self._view[self._start + 4 : self._start + 4 + length])
            self._start += 4 + length
            if frame is not None:
                return frame

    def _part(self, length: int) -> Part:
        if length < 9:
            raise BadFrame("a frame that ends too early")
        self._need(PART_HEAD.size)
        _, _, request = PART_HEAD.unpack_from(self._buffer, self._start)
        self._start += PART_HEAD.size
        left = length - 9
        to = self._place(request, left)
        if to is None:
            to = memoryview(bytearray(left))
        self._in_part = True
        here = min(left, self._end - self._start)
        to[:here] = self._view[self._start : self._start + here]
        self._start += here
        while here < left:
            got = self._receive(to[here:])
            if not got:
                raise EOFError
            here += got
        self._in_part = False
        return Part(request, b"")

    def _need(self, count: int) -> None:
        if self._end - self._start >= count:
            return
        if self._start == self._end:
            self._start = self._end = 0
        elif self._start + count > len(self._buffer):
            rest = bytes(self._view[self._start : self._end])
            self._view[: len(rest)] = rest
            self._start, self._end = 0, len(rest)
        while self._end - self._start < count:
            got = self._receive(self._view[self._end : max(self._end + _READ_BYTES, self._start + count)])
            if not got:
                raise EOFError
            self._end += got
