"""`context.process`: the cloud process that a function runs in (PraaS, Listing 1): its state, its mailbox, other processes.

Its calls are made from one thread: a call that waits, waits for all of them. What takes effect when: docs/PROCESSES.md.
"""

from __future__ import annotations

import time
from math import inf
from typing import Any, NamedTuple

from sand import values
from sand.errors import BadRequest, InvocationFailed, NotFound, Timeout, UnknownGrain
from sand.messages import (
    Payload,
    ProcessEntry,
    ProcessInvokeRequest,
    ProcessList,
    ProcessListRequest,
    ProcessResult,
    ProcessResultRequest,
    ReceiveRequest,
    SendRequest,
    StateGetRequest,
    StateKeysRequest,
    StateWrite,
    StateWriteRequest,
)
from sand.process_path import PROCESS_INVOKE, PROCESS_RESULT, RECEIVE, SEND
from sand.protocol import PROCESS_LIST, STATE_GET, STATE_KEYS, STATE_WRITE

__all__ = ["ANY", "SELF", "Call", "Message", "Process", "ProcessEntry"]

KEY_BYTES = 1024
# State writes that fit in the frame of finish; more go ahead of it, and the host agent keeps them until then.
_KEPT_BYTES = 256 * 1024
# An array of 64 KiB travels with its header as one of fewer does: memory of its own costs more than the way.
_INLINE_BYTES = values.INLINE_BYTES + 4 * 1024
_PAGE = 1000
# Who asks for a result so soon has had nothing else to do.
_AT_ONCE_NS = 200_000
# Before an attempt's deadline, so that a function that has waited in vain can still say so: at most this, at most a tenth.
_MARGIN_MS = 250


_now = time.monotonic_ns


class _Name(str):
    """A constant that no other text is: told apart by identity, since a message's key may be any text."""

    __slots__ = ("_constant",)

    def __new__(cls, text: str, constant: str) -> _Name:
        made = super().__new__(cls, text)
        made._constant = constant
        return made

    def __repr__(self) -> str:
        return f"sand.{self._constant}"

    def __reduce__(self) -> str:
        return self._constant


# No process's id has an @.
SELF = _Name("@self", "SELF")
ANY = _Name("@any", "ANY")


class _Nothing:
    """Tells `state(key)` from `state(key, None)`."""


_NOTHING: Any = _Nothing()


class Message(NamedTuple):
    """:param source: the sender's process, or SELF"""

    source: str
    key: str
    data: Any


class Call:
    """A function that was invoked in a process; `id` is its execution's."""

    __slots__ = ("_is_alone", "_number", "_process", "_result", "_since_ns", "id")

    def __init__(self, process: Process, is_alone: bool, id: str, result: ProcessResult | None) -> None:
        """:param is_alone: every other one of the attempt has been asked for its result"""
        self._process = process
        self._is_alone = is_alone
        self._result = result
        self._number = process._numbers
        self._since_ns = _now()
        self.id = id

    def result(self, timeout: float | None = None, shared: bool = False) -> Any:
        """What it returned, once it has.

        :param timeout: seconds; None: until this attempt's deadline
        :param shared: as for `Process.state`
        :raises Timeout: it has not ended in time (a TimeoutError)
        :raises InvocationFailed: it ended without a result; has `error` and `cause`
        """
        if timeout is not None:
            seconds(timeout)  # what is none is told, whether the result is there already or not
        process = self._process
        if self._since_ns:
            # Of several under way none is awaited, nor one behind which something else was invoked or sent.
            is_only = self._is_alone and self._number == process._numbers
            process._connection.awaits = is_only and _now() - self._since_ns < _AT_ONCE_NS
            process._unasked -= 1
            self._since_ns = 0
        if self._result is None:
            request = ProcessResultRequest(*process._attempt, self.id, process._wait_ms(timeout))
            found = process._connection.call(PROCESS_RESULT, request)
            if found.output is None and found.error is None:
                raise Timeout(f"invocation {self.id} has not ended yet")
            self._result = found
        if self._result.output is None:
            raise InvocationFailed(self._result.error, self._result.cause or "")
        return process._value(self._result.output, shared)


class Process:
    """The process, as one attempt of a function has it.

    `invocation_key`: of a function that a message `invoke:<function>:<key>` invoked, that key; else None.
    """

    SELF = SELF
    ANY = ANY

    __slots__ = (
        "_attempt", "_connection", "_context", "_kept_bytes", "_numbers", "_own", "_told", "_unasked", "id", "invocation_key",
    )  # fmt: skip

    def __init__(self, context: Any, name: str) -> None:
        """:param name: as the event has it: the id, and behind a slash the key of an invocation by message"""
        self.id, is_keyed, key = name.partition("/")
        self.invocation_key: str | None = key if is_keyed else None
        self._context = context
        self._connection = context._connection
        self._attempt = (context.invocation_id, context.attempt)
        self._own: dict[str, Payload | None] = {}
        """Writes that have not gone ahead, which go with finish; None: deleted."""
        context._writes = self._own.items()
        # What came with the event, and holds until the function writes over it.
        self._told: dict[str, Payload | None] = dict(context._told or ())
        self._kept_bytes = 0
        self._numbers = 0
        self._unasked = 0
        """Calls whose result nobody has asked for yet."""

    # --- state

    def state(self, key: str, data: Any = _NOTHING, *, default: Any = None, shared: bool = False) -> Any:
        """`state(key)` reads, `state(key, data)` writes. Reads see the function's own writes, which all take effect together
        when it ends well.

        :param default: what a read gives where there is nothing
        :param shared: a large value is not copied: a read-only memoryview of bytes, a read-only array
        :raises TooLarge: the process's state would be over its bound, or the value is over its memory
        :raises Unavailable: the value is in the global data layer, which does not give it
        """
        _text(key)
        if data is not _NOTHING:
            what = f"the state {key}"
            self._write(key, values.encode(data, self._attempt[0], what, self._context.segments, _INLINE_BYTES))
            return None
        if key in self._own:
            found = self._own[key]
        elif key in self._told:
            found = self._told[key]
        else:
            found = self._connection.call(STATE_GET, StateGetRequest(*self._attempt, key)).value
        return default if found is None else self._value(found, shared)

    def delete_state(self, key: str) -> bool:
        """Whether there was one."""
        _text(key)
        if key in self._own:
            existed = self._own[key] is not None
        elif key in self._told:
            existed = self._told[key] is not None
        else:
            existed = self._connection.call(STATE_GET, StateGetRequest(*self._attempt, key, True)).value is not None
        self._write(key, None)
        return existed

    def state_keys(self) -> list[str]:
        """In the order of their bytes."""
        keys: set[str] = set()
        after = None
        while True:
            page = self._connection.call(STATE_KEYS, StateKeysRequest(*self._attempt, after, _PAGE))
            keys.update(page)
            if len(page) < _PAGE:
                break
            after = page[-1]
        for key, value in self._own.items():
            if value is None:
                keys.discard(key)
            else:
                keys.add(key)
        return sorted(keys, key=str.encode)

    def _write(self, key: str, value: Payload | None) -> None:
        self._own[key] = value
        self._told.pop(key, None)
        self._kept_bytes += len(key) * 4 + 128 + len(value.bytes or b"" if value else b"")
        if self._kept_bytes > _KEPT_BYTES:
            writes = tuple(StateWrite(*write) for write in self._own.items())
            self._connection.call(STATE_WRITE, StateWriteRequest(*self._attempt, writes))
            self._own.clear()
            self._kept_bytes = 0

    # --- messages

    def send(self, destination: str, key: str, data: Any, timeout: float | None = None) -> None:
        """Puts a message into a process's mailbox; it is there when this returns, whatever becomes of this attempt (of a
        function with `atomic: true`: when it ends well). A further attempt's repetitions are known, not delivered twice.

        :param destination: a process of the application; SELF
        :param key: any text; `invoke:<function>:<key>` invokes that function instead, as its trigger says
        :param timeout: seconds to wait for room in the mailbox; None: until this attempt's deadline
        :raises NotFound: there is no such process (any more)
        :raises Overloaded: its mailbox was full all the while
        :raises TooLarge: it has more bytes than a mailbox
        :raises Unavailable: the process's host is not reached; the message may have come, and a repetition does not come twice
        :raises Conflict: this attempt does not run any more: it was cancelled, or its time is over
        :raises UnknownGrain: the key names a function that the application does not have
        """
        _text(key)
        to, wait_ms = self._to(destination), self._wait_ms(timeout)
        payload = values.encode(data, self._attempt[0], f"the message {key}", self._context.segments)
        self._connection.call(SEND, SendRequest(*self._attempt, self._next(), to, key, payload, wait_ms))

    def recv(self, source: str = ANY, key: str = ANY, timeout: float | None = None, shared: bool = False) -> Any:
        """Takes one message; its data. Messages of one source and key come in the order in which they were sent; with ANY, the
        oldest that matches. It goes back to its place when this attempt does not end well.

        :param source: a process, SELF or ANY; :param key: text or ANY
        :param timeout: seconds; 0: None is returned at once when there is none; None: wait until this attempt's deadline
        :raises Timeout: no message came until the deadline
        """
        message = self.recv_message(source, key, timeout, shared)
        return None if message is None else message.data

    def recv_message(
        self, source: str = ANY, key: str = ANY, timeout: float | None = None, shared: bool = False
    ) -> Message | None:
        """As `recv`, with source and key; None instead of a message that has not come in `timeout`."""
        wanted = None if key is ANY else _text(key)
        sender = None if source is ANY else self._to(source)
        reply = self._connection.call(RECEIVE, ReceiveRequest(*self._attempt, sender, wanted, self._wait_ms(timeout)))
        found = reply.message
        if found is None:
            if timeout is None:
                raise Timeout(f"no message came to process {self.id} until the attempt's deadline")
            return None
        return Message(SELF if found.source == self.id else found.source, found.key, self._value(found.payload, shared))

    # --- other processes

    def invoke(self, destination: str, function: str, data: Any = None) -> Call:
        """Starts a function in a process; it has begun, or waits there, when this returns. A caller that is used to ask for
        results at once may be told of both together, half a millisecond later at most.

        :raises NotFound: there is no such process (any more)
        :raises UnknownGrain: the application has no such grain
        :raises Overloaded: as many wait there as may
        """
        to = self._to(destination)
        if not isinstance(function, str):
            raise _wrong("function", "the name of a grain", function)
        if not is_utf8(function):
            raise UnknownGrain(f"the application has no grain {function!r}")
        payload = values.encode(data, self._attempt[0], f"the input of {function}", self._context.segments)
        connection = self._connection
        request = ProcessInvokeRequest(*self._attempt, self._next(), to, function, payload, connection.awaits)
        connection.awaits = False
        told = connection.call(PROCESS_INVOKE, request)
        self._unasked += 1
        return Call(self, self._unasked == 1, *told)

    def processes(self) -> list[ProcessEntry]:
        """The application's processes, with status `active`, `idle` or `swapped`."""
        return [*self._list(None, 0).processes]

    def watch_processes(self, version: int | None = None, timeout: float | None = None) -> tuple[int, list[ProcessEntry]]:
        """The list and its version, as soon as that is newer than `version`; the same as before when it is not in time.

        :param version: None: as it is now
        :param timeout: seconds; None: until this attempt's deadline
        """
        if version is not None and (type(version) is not int or not -(1 << 63) <= version < 1 << 63):
            raise _wrong("version", "a number that watch_processes gave, or None", version)
        wait_ms = self._wait_ms(timeout)
        found = self._list(version, 0 if version is None else wait_ms)
        return found.version, [*found.processes]

    # ---

    def _list(self, newer_than: int | None, wait_ms: int) -> ProcessList:
        return self._connection.call(PROCESS_LIST, ProcessListRequest(*self._attempt, newer_than, wait_ms))

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers - 1

    def _to(self, process: str) -> str:
        if not isinstance(process, str):
            raise _wrong("a process", "an id, or SELF", process)
        if process == ANY:
            raise BadRequest("ANY is no process: it is for receiving")
        if not is_utf8(process):
            raise NotFound(f"there is no process {process!r}")
        return self.id if process == SELF else process

    def _wait_ms(self, timeout: float | None) -> int:
        left = self._context.remaining_ms()
        left = max(0, left - min(_MARGIN_MS, left // 10))
        return left if timeout is None else int(max(0, min(seconds(timeout) * 1000, left)))

    def _value(self, payload: Payload, shared: bool) -> Any:
        if shared and payload.reference is not None:
            return values.decode(payload, self._context.segments, shared)
        return values.copy(payload, self._context.segments)


def _wrong(what: str, expected: str, value: Any) -> Exception:
    """An argument of another type, or out of its range."""
    if isinstance(value, int) and not isinstance(value, bool) and "number" in expected:
        return ValueError(f"{what} is {expected}, not {value}")
    return TypeError(f"{what} is {expected}, not {value!r:.100} ({type(value).__name__})")


def seconds(timeout: Any) -> float:
    """:raises TypeError, ValueError: it is no number of seconds"""
    # What a number is, numpy's among them: text could be made one too, and is none.
    number = getattr(type(timeout), "__float__", None)
    try:
        found = None if number is None or isinstance(timeout, bool) else number(timeout)
    except OverflowError:
        found = inf if timeout > 0 else -inf
    except TypeError:
        found = None  # an array of several
    if found is None:
        raise _wrong("timeout", "seconds, or None", timeout)
    if found != found:
        raise ValueError("timeout is seconds, or None, not nan")
    return found


def is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(key: str) -> str:
    """A key that travels as it is."""
    if not isinstance(key, str):
        raise _wrong("a key", "text", key)
    if key is ANY or key is SELF:
        raise BadRequest(f"{key!r} is no key of a value or a message")
    try:
        size = len(key.encode())
    except UnicodeEncodeError:
        raise BadRequest(f"the key {key!r} has a lone surrogate: it is no text") from None
    if not 1 <= size <= KEY_BYTES:
        raise BadRequest(f"a key has 1 to {KEY_BYTES} bytes, not {size}")
    return key
