"""What a client has asked for and not yet been answered, with its value as it travels."""

from __future__ import annotations

import functools
import os
import time
from concurrent.futures import Future, InvalidStateError
from typing import Any

from sand import values
from sand.client import frames
from sand.errors import BadRequest, Denied, InvocationFailed, SandError, Timeout, TooLarge, refusal
from sand.messages import Payload

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_LETTERS = 16
_LETTER_OF_BYTE = bytes(ord(_ALPHABET[byte % 32]) for byte in range(256))
_DRAWN_AT_ONCE = 64
# To ask the kernel for each, and to write each in letters, was the slowest thing that a small call did here.
_drawn: list[str] = []
os.register_at_fork(after_in_child=_drawn.clear)  # whoever forks does not share what is drawn
_OWN = {"Sand.Denied": Denied, "Sand.TooLarge": TooLarge, "Sand.BadRequest": BadRequest}


def new_id(now_ms: int) -> str:
    """As executions have them. :param now_ms: by the host's clock"""
    try:
        random = _drawn.pop()
    except IndexError:
        letters = os.urandom(_RANDOM_LETTERS * _DRAWN_AT_ONCE).translate(_LETTER_OF_BYTE).decode()
        random = letters[:_RANDOM_LETTERS]
        _drawn.extend(letters[at : at + _RANDOM_LETTERS] for at in range(_RANDOM_LETTERS, len(letters), _RANDOM_LETTERS))
    return _time(now_ms) + random


@functools.lru_cache(maxsize=4)
def _time(now_ms: int) -> str:
    return "".join([_ALPHABET[now_ms >> shift & 31] for shift in range(45, -1, -5)])


class _Captured:
    """Stands for shared memory in `values.encode`: keeps a large value's parts as they are."""

    parts: tuple[Any, ...] = ()

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        self.parts = parts
        return ""


class Call:
    """One invocation. `future` has its end; the same `id` is the same invocation on every connection."""

    def __init__(self, function: str, value: Any, deadline: float) -> None:
        self.function = function
        self.deadline = deadline
        self.future: Future[Any] = Future()
        self.id = ""
        self.execution_id: str | None = None
        self.connection: Any = None
        self.sent_before = False
        self.is_awaited = False
        """Whoever waits for it reads its answer himself."""
        self.has_ended = False
        """It has been answered, or given up."""
        captured = _Captured()
        payload = values.encode(value, "", f"the input of {function}", captured)
        self.content_type = payload.content_type
        self.inline = payload.bytes if payload.bytes is not None else b""
        self.parts = [memoryview(part).cast("B") for part in captured.parts]
        self.size = len(self.inline) + sum(len(part) for part in self.parts)
        self._answer: frames.Result | None = None
        self._memory = bytearray()
        self._filled = 0

    def left(self) -> float:
        """Seconds until its deadline."""
        return self.deadline - time.monotonic()

    def head(self, request: int) -> bytes:
        """It is sent: whoever sends it again says that it is a repetition."""
        deadline_ms = max(1, min(int(self.left() * 1000), 0xFFFFFFFF))
        again, self.sent_before = self.sent_before, True
        return frames.encode(
            frames.Invoke(request, self.id, again, deadline_ms, self.function, self.content_type, self.size, self.inline)
        )

    # --- its answer

    @property
    def received(self) -> int:
        """Bytes of a large answer."""
        return self._filled

    def on_result(self, result: frames.Result) -> bool:
        """Whether it has ended: all of it is there, or there is no room for it, and what follows is nobody's."""
        self.execution_id = result.execution
        self._answer = result
        self._filled = 0
        if result.size <= frames.INLINE_BYTES:
            self._succeed(result.content_type, result.first)
            return True
        try:
            self._memory = bytearray(result.size)
        except (MemoryError, OverflowError):  # of this call alone: nothing else has asked for as much
            self.fail(TooLarge(f"there is no memory for an answer of {result.size} bytes"))
            return True
        return False

    def place(self, count: int) -> memoryview:
        """Where the next bytes of a large answer go."""
        if count > len(self._memory) - self._filled:
            raise frames.BadFrame("more of an answer than was said")
        at = self._filled
        self._filled += count
        return memoryview(self._memory)[at : at + count]

    @property
    def is_whole(self) -> bool:
        """All bytes of a large answer are there."""
        return self._answer is not None and self._filled >= len(self._memory)

    def on_whole(self) -> None:
        """It has ended: whoever waits for it goes on."""
        assert self._answer is not None
        self._succeed(self._answer.content_type, memoryview(self._memory).toreadonly())

    def _succeed(self, content_type: str, data: Any) -> None:
        try:
            value = values.decode(Payload(content_type, data), None)
        except SandError as broken:
            self.fail(broken)
            return
        except MemoryError:
            self.fail(TooLarge(f"there is no memory for what an answer of {len(data)} bytes says"))
            return
        except Exception as broken:  # by what its bytes are: they would be the same again, over another connection
            self.fail(BadRequest(f"the answer cannot be read: {broken!r}"))
            return
        self.has_ended = True
        try:
            self.future.set_result(value)
        except InvalidStateError:
            pass  # it was given up, or cancelled, meanwhile

    def on_failed(self, failed: frames.Failed) -> None:
        self.execution_id = failed.execution or None
        self.fail(_error(failed))

    def fail(self, error: BaseException) -> None:
        self.has_ended = True
        try:
            self.future.set_exception(error)
        except InvalidStateError:
            pass

    def settle(self) -> None:
        """Once: whoever waits for several futures is told of one that was cancelled."""
        if self.future.cancelled():
            self.future.set_running_or_notify_cancel()


def _error(failed: frames.Failed) -> SandError:
    error: SandError
    if failed.error == Timeout.error:
        error = Timeout(failed.cause)
    elif failed.source == "GRAIN" or failed.status == "CANCELLED":
        error = InvocationFailed(failed.error, failed.cause)
    else:
        error = _OWN[failed.error](failed.cause) if failed.error in _OWN else refusal(failed.error, failed.cause)
    error.__dict__.update(execution_id=failed.execution, retryable=failed.retryable, stack_trace=failed.stack_trace or None)
    return error
