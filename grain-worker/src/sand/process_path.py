"""The calls of `context.process` that functions wait for most, hand-laid as hotpath.py's messages are. No I/O.

The same bytes as protocol.py's tables give and understand (a test compares them), at a third of the time. What is not of the
usual layout, a large value's reference among it, is left to the tables.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Any

from sand import protocol
from sand.hotpath import pack_length, payload_type, text_head, unpack_length
from sand.messages import (
    Message,
    Payload,
    ProcessInvoked,
    ProcessInvokeRequest,
    ProcessResult,
    ProcessResultRequest,
    ReceiveReply,
    ReceiveRequest,
    SendRequest,
)

_SEND_HEAD = b"\x80\1\0\1\0\0\0\4send"
_INVOKE_HEAD = b"\x80\1\0\1\0\0\0\x0dprocessInvoke"
_RESULT_HEAD = b"\x80\1\0\1\0\0\0\x0dprocessResult"
_RECEIVE_HEAD = b"\x80\1\0\1\0\0\0\7receive"
# Of replies: the message's type is another one.
_RECEIVED = b"\x80\1\0\2" + _RECEIVE_HEAD[4:]
_INVOKED = b"\x80\1\0\2" + _INVOKE_HEAD[4:]
_ENDED = b"\x80\1\0\2" + _RESULT_HEAD[4:]
# A call's sequence number, its argument, and there the event's id.
_begin = Struct("!i6sI").pack
_BEGIN = b"\x0c\0\1\x0b\0\1"
_numbers = Struct("!BhiBhiBhI").pack
_attempt = Struct("!Bhi").pack
_payload_tail_wait = Struct("!BBhqBB").pack
_wait = Struct("!BhqBB").pack
_new = tuple.__new__


def _frame(parts: list[bytes]) -> bytes:
    parts[0] = pack_length(sum(map(len, parts)))
    return b"".join(parts)


def encode_send(request: SendRequest, sequence: int) -> bytes | None:
    """:return: None: the tables are to encode it"""
    event_id, attempt, ordinal, to, key, payload, wait_ms = request
    return _with_payload(
        _SEND_HEAD, sequence, event_id, attempt, ordinal, to, key, payload, _payload_tail_wait(0, 10, 7, wait_ms, 0, 0)
    )


def encode_invoke(request: ProcessInvokeRequest, sequence: int) -> bytes | None:
    """:return: None: the tables are to encode it"""
    event_id, attempt, ordinal, to, function, payload, awaited = request
    tail = b"\0\2\0\7\1\0\0" if awaited else b"\0\0\0" if awaited is None else b"\0\2\0\7\0\0\0"
    return _with_payload(_INVOKE_HEAD, sequence, event_id, attempt, ordinal, to, function, payload, tail)


def _with_payload(
    head: bytes, sequence: int, event_id: str, attempt: int, ordinal: int, to: str, name: str, payload: Payload, tail: bytes
) -> bytes | None:
    kind, data, _ = payload
    if data is None:
        return None
    event, whom, named, kind_of = event_id.encode(), to.encode(), name.encode(), kind.encode()
    return _frame([
        b"",
        head,
        _begin(sequence, _BEGIN, len(event)),
        event,
        _numbers(8, 2, attempt, 8, 3, ordinal, 11, 4, len(whom)),
        whom,
        text_head(11, 5, len(named)),
        named,
        payload_type(12, 6, 11, 1, len(kind_of)),
        kind_of,
        text_head(11, 2, len(data)),
        data,
        tail,
    ])  # fmt: skip


def encode_receive(request: ReceiveRequest, sequence: int) -> bytes:
    event_id, attempt, source, key, wait_ms = request
    parts = _asking(_RECEIVE_HEAD, sequence, event_id, attempt)
    for number, text in ((3, source), (4, key)):
        if text is not None:
            data = text.encode()
            parts += (text_head(11, number, len(data)), data)
    parts.append(_wait(10, 5, wait_ms, 0, 0))
    return _frame(parts)


def encode_result(request: ProcessResultRequest, sequence: int) -> bytes:
    event_id, attempt, invocation, wait_ms = request
    parts = _asking(_RESULT_HEAD, sequence, event_id, attempt)
    data = invocation.encode()
    parts += (text_head(11, 3, len(data)), data)
    parts.append(_wait(10, 4, wait_ms, 0, 0))
    return _frame(parts)


def _asking(head: bytes, sequence: int, event_id: str, attempt: int) -> list[bytes]:
    event = event_id.encode()
    return [b"", head, _begin(sequence, _BEGIN, len(event)), event, _attempt(8, 2, attempt)]


def decode_received(data: bytes) -> ReceiveReply | None:
    """:param data: a frame without its length :return: None: the tables are to decode it"""
    if data[0:15] != _RECEIVED or data[19:25] != b"\x0c\0\0\x0c\0\1" or data[25:28] != b"\x0b\0\1":
        return None
    try:
        end = 32 + unpack_length(data, 28)[0]
        source = str(data[32:end], "utf-8")
        if data[end : end + 3] != b"\x0b\0\2":
            return None
        at = end + 7
        end = at + unpack_length(data, end + 3)[0]
        key = str(data[at:end], "utf-8")
        payload = _small(data, end, b"\x0c\0\3\x0b\0\1", b"\0\0\0\0")
    except (ValueError, StructError):
        return None
    return None if payload is None else _new(ReceiveReply, (_new(Message, (source, key, payload)),))


def decode_invoked(data: bytes) -> ProcessInvoked | None:
    """:param data: a frame without its length :return: None: the tables are to decode it"""
    if data[0:21] != _INVOKED or data[25:31] != b"\x0c\0\0\x0b\0\1":
        return None
    try:
        end = 35 + unpack_length(data, 31)[0]
        invocation = str(data[35:end], "utf-8")
        if data[end:] == b"\0\0":
            return _new(ProcessInvoked, (invocation, None))
        payload = _small(data, end, b"\x0c\0\2\x0c\0\1\x0b\0\1", b"\0\0\0\0")
    except (ValueError, StructError):
        return None
    return None if payload is None else _new(ProcessInvoked, (invocation, _new(ProcessResult, (payload, None, None))))


def decode_result(data: bytes) -> ProcessResult | None:
    """:param data: a frame without its length :return: None: the tables are to decode it"""
    if data[0:21] != _ENDED or data[25:28] != b"\x0c\0\0":
        return None
    try:
        payload = _small(data, 28, b"\x0c\0\1\x0b\0\1", b"\0\0\0")
    except (ValueError, StructError):
        return None
    return None if payload is None else _new(ProcessResult, (payload, None, None))


def _small(data: bytes, at: int, begin: bytes, end: bytes) -> Payload | None:
    """A payload with its bytes, the last thing but for `end` that a message has."""
    from_ = at + len(begin) + 4
    if data[at : from_ - 4] != begin:
        return None
    to = from_ + unpack_length(data, from_ - 4)[0]
    kind = str(data[from_:to], "utf-8")
    if data[to : to + 3] != b"\x0b\0\2":
        return None
    at = to + 7
    to = at + unpack_length(data, to + 3)[0]
    if data[to:] != end:
        return None
    return _new(Payload, (kind, data[at:to], None))


def _laid(method: protocol.Method, encode: Any, decode: Any = None) -> protocol.Method:
    return method._replace(laid=encode, read=decode)


SEND = _laid(protocol.SEND, encode_send)
RECEIVE = _laid(protocol.RECEIVE, encode_receive, decode_received)
PROCESS_INVOKE = _laid(protocol.PROCESS_INVOKE, encode_invoke, decode_invoked)
PROCESS_RESULT = _laid(protocol.PROCESS_RESULT, encode_result, decode_result)
