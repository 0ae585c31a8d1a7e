"""The messages on the path of an event and of an instance's life, hand-laid. No I/O.

The same bytes as protocol.py's tables give and understand (a test compares them), at a third of the time and of the
touched memory, which in a forked child is what costs.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any

from sand import protocol
from sand.messages import DataReference, EventMessage, Payload, Publication, StateWrite
from sand.wire import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Collection

_REPLY_HEAD = b"\x80\1\0\2\0\0\0\4take"
_FINISH_HEAD = b"\x80\1\0\4\0\0\0\6finish\0\0\0\0\x0c\0\1"
_TAKE_HEAD = b"\x80\1\0\1\0\0\0\4take\0\0\0\0\x0c\0\1\x0b\0\1"
_take_head = Struct("!I22sI").pack
_take_tail = Struct("!BhiBB").pack
_COMMANDS_HEAD = b"\x80\1\0\2\0\0\0\x08commands"
_ONE_SPAWN = b"\x0c\0\0\x0f\0\1\x0c\0\0\0\1\x0c\0\3\x0f\0\1\x0b"
_EXITED_HEAD = b"\x80\1\0\4\0\0\0\6report\0\0\0\0\x0c\0\1\x0c\0\4\x0b\0\1"
_exited_head = Struct("!I27sI").pack
_exited_tail = Struct("!BhiBhiBhqBhqBBB").pack
text_head = Struct("!BhI").pack
_attempt_payload_type = Struct("!BhiBhBhI").pack
_bytes_head = Struct("!BhI").pack
payload_type = Struct("!BhBhI").pack
_list_head = Struct("!Bi").pack
_reference_head = Struct("!BhBhI").pack
_size_tail = Struct("!BhqB").pack
_times = Struct("!BhqBhqBB").pack
_times_and_writes = Struct("!BhqBhqBh").pack
_new = tuple.__new__
_length = Struct("!I")
pack_length, unpack_length = _length.pack, _length.unpack_from
_unpack_i32 = Struct("!i").unpack_from
_unpack_i64 = Struct("!q").unpack_from
_unpack_i16 = Struct("!h").unpack_from


def encode_take(instance: str, pid: int) -> bytes:
    """Made once an instance: every take of it is the same frame."""
    name = instance.encode()
    head = _take_head(35 + len(name), _TAKE_HEAD, len(name))
    return b"".join((head, name, _take_tail(8, 2, pid, 0, 0)))


def encode_finish(
    event_id: str,
    attempt: int,
    output: Payload,
    published: list[Publication],
    started_ns: int,
    ended_ns: int,
    writes: Collection[tuple[str, Payload | None]] | None = None,
    behind: bytes = b"",
) -> bytes:
    """A finish as one frame.

    :param writes: to the process's state: keys and values, StateWrites or pairs like them
    :param behind: what goes out in the same write
    """
    event = event_id.encode()
    kind = output.content_type.encode()
    parts = [
        b"",
        _FINISH_HEAD,
        text_head(11, 1, len(event)),
        event,
        _attempt_payload_type(8, 2, attempt, 12, 3, 11, 1, len(kind)),
        kind,
    ]
    if output.bytes is not None:
        parts += (_bytes_head(11, 2, len(output.bytes)), output.bytes, b"\0")
    else:
        name, size = output.reference
        encoded = name.encode()
        parts += (_reference_head(12, 3, 11, 1, len(encoded)), encoded, _size_tail(10, 2, size, 0), b"\0")
    if published:
        parts.append(b"\x0f\0\4")
        protocol.PUBLICATIONS.encode(parts, published)
    if writes:
        parts.append(_times_and_writes(10, 5, started_ns, 10, 6, ended_ns, 15, 7))
        _encode_writes(parts, writes)
        parts.append(b"\0\0")
    else:
        parts.append(_times(10, 5, started_ns, 10, 6, ended_ns, 0, 0))
    parts[0] = pack_length(sum(map(len, parts)))
    parts.append(behind)
    return b"".join(parts)


def _encode_writes(parts: list[bytes], writes: Collection[tuple[str, Payload | None]]) -> None:
    if any(value is not None and value.bytes is None for _, value in writes):
        protocol.STATE_WRITES.encode(parts, writes)
        return
    parts.append(_list_head(12, len(writes)))
    for key, value in writes:
        name = key.encode()
        parts += (text_head(11, 1, len(name)), name)
        if value is not None:
            kind, data = value.content_type.encode(), value.bytes
            parts += (payload_type(12, 2, 11, 1, len(kind)), kind, _bytes_head(11, 2, len(data)), data, b"\0")
        parts.append(b"\0")


def decode_spawn(data: bytes) -> tuple[str, ...] | None:
    """The instances of a reply to commands that is one SpawnCommand; None: decode it the general way."""
    # After the sequence number: result struct, CommandsReply, list of 1 Command, its member 3, SpawnCommand's list.
    if data[0:16] != _COMMANDS_HEAD or data[20:38] != _ONE_SPAWN:
        return None
    names = []
    at = 42
    try:
        for _ in range(_unpack_i32(data, 38)[0]):
            end = at + 4 + unpack_length(data, at)[0]
            names.append(str(data[at + 4 : end], "utf-8"))
            at = end
    except (StructError, ValueError):
        return None
    return tuple(names) if data[at:] == b"\0\0\0\0" else None


def encode_exited(instance: str, exit_code: int, signal: int, cpu_us: int, peak_memory_bytes: int) -> bytes:
    """The report of an instance's end as one frame, without a note."""
    name = instance.encode()
    return b"".join((
        _exited_head(70 + len(name), _EXITED_HEAD, len(name)),
        name,
        _exited_tail(8, 2, exit_code, 8, 3, signal, 10, 4, cpu_us, 10, 5, peak_memory_bytes, 0, 0, 0),
    ))  # fmt: skip


def decode_take_reply(data: Any) -> EventMessage | None:
    """The event in a reply to take (a frame without its length); None: there is none and the instance is to end.

    Reads the layout that every Thrift library writes for an event (fields in order, none unknown); anything else,
    errors included, is left to the general decoder.
    """
    try:
        if data[0:12] != _REPLY_HEAD:
            return _general(data)
        if data[16:22] != b"\x0c\0\0\x0c\0\1":
            return None if data[16:] == b"\x0c\0\0\0\0" else _general(data)
        if data[22:25] != b"\6\0\1" or data[27:30] != b"\x0b\0\2":
            return _general(data)
        schema = _unpack_i16(data, 25)[0]
        end = 34 + unpack_length(data, 30)[0]
        event_id = str(data[34:end], "utf-8")
        if data[end : end + 3] != b"\x0b\0\3":
            return _general(data)
        at = end + 7
        end = at + unpack_length(data, end + 3)[0]
        execution_id = str(data[at:end], "utf-8")
        if data[end : end + 3] != b"\x0b\0\4":
            return _general(data)
        at = end + 7
        end = at + unpack_length(data, end + 3)[0]
        grain = str(data[at:end], "utf-8")
        if data[end : end + 3] != b"\x08\0\5" or data[end + 7 : end + 10] != b"\x0a\0\6":
            return _general(data)
        attempt = _unpack_i32(data, end + 3)[0]
        remaining_ms = _unpack_i64(data, end + 10)[0]
        at = end + 18
        if data[at : at + 6] != b"\x0c\0\7\x0b\0\1":
            return _general(data)
        end = at + 10 + unpack_length(data, at + 6)[0]
        content_type = str(data[at + 10 : end], "utf-8")
        payload = reference = None
        if data[end : end + 3] == b"\x0b\0\2":
            at = end + 7
            end = at + unpack_length(data, end + 3)[0]
            payload = data[at:end]
        elif data[end : end + 6] == b"\x0c\0\3\x0b\0\1":
            at = end + 10
            end = at + unpack_length(data, end + 6)[0]
            name = str(data[at:end], "utf-8")
            if data[end : end + 3] != b"\x0a\0\2" or data[end + 11] != 0:
                return _general(data)
            reference = _new(DataReference, (name, _unpack_i64(data, end + 3)[0]))
            end += 12
        if data[end] != 0:
            return _general(data)
        at = end + 1
        traceparent = None
        if data[at : at + 3] == b"\x0b\0\x08":
            end = at + 7 + unpack_length(data, at + 3)[0]
            traceparent = str(data[at + 7 : end], "utf-8")
            at = end
        process = state = None
        if data[at : at + 3] == b"\x0b\0\x09":
            end = at + 7 + unpack_length(data, at + 3)[0]
            process = str(data[at + 7 : end], "utf-8")
            at = end
        if data[at : at + 3] == b"\x0f\0\x0a":
            state, at = _decode_told(data, at + 3)
        if data[at:] != b"\0\0\0":
            return _general(data)
    except (IndexError, ValueError, StructError, ProtocolError):
        return _general(data)
    content = _new(Payload, (content_type, payload, reference))
    return _new(
        EventMessage, (schema, event_id, execution_id, grain, attempt, remaining_ms, content, traceparent, process, state)
    )


def _decode_told(data: Any, begin: int) -> tuple[tuple[StateWrite, ...], int]:
    """What is told of the state is small values, or that there are none."""
    told = []
    at = begin + 5
    for _ in range(_unpack_i32(data, begin + 1)[0]):
        if data[at : at + 3] != b"\x0b\0\1":
            return protocol.STATE_WRITES.decode(data, begin)
        end = at + 7 + unpack_length(data, at + 3)[0]
        key, value = str(data[at + 7 : end], "utf-8"), None
        if data[end] != 0:
            if data[end : end + 6] != b"\x0c\0\2\x0b\0\1":
                return protocol.STATE_WRITES.decode(data, begin)
            at = end + 10
            end = at + unpack_length(data, end + 6)[0]
            kind = str(data[at:end], "utf-8")
            if data[end : end + 3] != b"\x0b\0\2":
                return protocol.STATE_WRITES.decode(data, begin)
            at = end + 7
            end = at + unpack_length(data, end + 3)[0]
            value = _new(Payload, (kind, data[at:end], None))
            if data[end] != 0 or data[end + 1] != 0:
                return protocol.STATE_WRITES.decode(data, begin)
            end += 1
        told.append(_new(StateWrite, (key, value)))
        at = end + 1
    return tuple(told), at


def _general(data: Any) -> EventMessage | None:
    reply = protocol.decode_reply(protocol.TAKE, bytes(data))
    if isinstance(reply, protocol.BusError):
        raise ProtocolError(f"take was refused: {reply.error}: {reply.message}")
    return reply.event
