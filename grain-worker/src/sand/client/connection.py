"""One connection to a host's data plane: written to by whoever calls, read by one thread at a time, as its process has them."""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from sand.client import frames
from sand.client.calls import Call
from sand.client.wire import TICK_SECONDS, Encrypted, Piece, Plain
from sand.errors import Unavailable

# That a write may go on behind its call's deadline: half a frame ends the connection.
_GRACE_SECONDS = 1.0
# What an answer of this size takes of its host's memory may wait for the next call.
_SOON_TAKEN_BYTES = 4 << 20
# Small frames, of some 20 bytes; a host for which there are more sends pings without end, and reads nothing.
_MOST_WAITING = 8192
_NAME = "sand.client"


class Lost(Exception):
    """The connection is of no use any more.

    :ivar at_once: there is no reason to wait before the next one
    :ivar moved_to: where the process is reached now; empty: the host did not say
    """

    def __init__(self, why: str, at_once: bool = False, moved_to: str = "") -> None:
        super().__init__(why)
        self.at_once = at_once
        self.moved_to = moved_to


class NothingCame(Exception):
    """Whoever reads is not to wait any longer; no frame has begun."""


class RefusedHere(Exception):
    """The host has not taken the grant."""

    def __init__(self, refused: frames.Refused) -> None:
        super().__init__(refused.cause)
        self.refused = refused


class Connection:
    """Open, with the grant shown. Who calls waits for no longer than the call may take, and who reads waits for no write.

    :raises Lost, RefusedHere, OSError:
    """

    def __init__(self, address: str, grant: str, tls: ssl.SSLContext | None, timeout: float) -> None:
        host, _, port = address.rpartition(":")
        raw = socket.create_connection((host.strip("[]"), int(port)), timeout)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wire: Any = Encrypted(raw, host, tls) if tls else Plain(raw)
        self._write = threading.Lock()
        self._requests: dict[int, Call] = {}
        self._numbers = itertools.count(1)
        # Frames that nobody waits for, which go with the next write when the socket has no room.
        self._small: deque[bytes] = deque()
        # Of whoever sends them: nobody waits inside, so that whoever closes can wait for it; he may be the same, by a signal.
        self._sending = threading.RLock()
        self._reader = frames.Reader(self._receive, self._place)
        self._ticked = self._pinged = self._heard = time.monotonic()
        self.reading = threading.Lock()
        """Whose is the turn to read."""
        self.loss: Lost | None = None
        """Why it is of no use any more, as whoever read found out."""
        self._ended: BaseException | None = None
        self._is_over: Callable[[], bool] | None = None
        self.is_open = True
        self._patience = timeout
        try:
            hello = frames.PREFACE + frames.encode(frames.Hello(frames.VERSION, grant, _NAME))
            self._wire.send_all(hello, (), time.monotonic() + timeout)
            first = self._reader.next()
        except Exception as broken:
            self.close()
            why = "it hung up" if isinstance(broken, EOFError) else reason(broken)
            raise Lost(f"{address} does not answer as a data plane does: {why}") from None
        if isinstance(first, frames.Welcome):
            self.welcome = first
            self._patience = first.idle_ms / 1000
            return
        self.close()
        if isinstance(first, frames.Refused):
            raise RefusedHere(first)
        if isinstance(first, frames.Moved):
            raise Lost("the process is another host's", at_once=True, moved_to=first.address)
        if isinstance(first, frames.GoAway):
            raise _sent_away(first)
        raise Lost(f"{address} does not answer as a data plane does: it begins with a {type(first).__name__}")

    def _receive(self, to: memoryview) -> int:
        while True:
            got = self._wire.recv_into(to)
            now = time.monotonic()
            if got is not None:
                self._heard = now
            elif now - self._heard > self._patience:
                raise Lost("nothing was heard of the host, not even an answer to pings")
            if now - self._ticked >= TICK_SECONDS:
                self._ticked = now
                self._ping(now)
                self.on_tick()
            if got is not None:
                return got
            if self._is_over is not None and self._is_over() and self._reader.is_between_frames:
                raise NothingCame

    def _ping(self, now: float) -> None:
        self._send_small()
        if now - self._pinged > self._patience / 4:
            self._pinged = now
            self._send(frames.Ping(0))

    def on_tick(self) -> None:
        """Replaced by whoever reads."""

    def _place(self, request: int, count: int) -> memoryview | None:
        call = self._requests.get(request)
        return call.place(count) if call else None

    def invoke(self, call: Call) -> None:
        """What its time allows of it. :raises OSError: the connection is lost, and the call with it"""
        request = next(self._numbers)
        self._requests[request] = call
        pieces = _pieces(call.parts, self.welcome.part_bytes) if call.parts else []
        first = pieces.pop(0) if pieces else ()
        # Its beginning goes with it: each write wakes the host.
        if not self._write_of(call, request, first, begins=True):
            self._requests.pop(request, None)  # nobody knows of it
            return
        for piece in pieces:
            self._heard = time.monotonic()  # a host that takes them is there
            # Others' frames go between two pieces of a large one.
            if not self._write_of(call, request, piece):
                return
        self._heard = time.monotonic()

    def _write_of(self, call: Call, request: int, piece: Piece, begins: bool = False) -> bool:
        """Whether it was its turn in time, and the call has not ended before."""
        if not self._write.acquire(timeout=min(max(0.0, call.left()), threading.TIMEOUT_MAX)):
            return False
        is_written = False
        try:
            # A Cancel waits from when its call has ended, and what waits goes first: nothing of the call comes behind it.
            small = len(self._small)
            if request in self._requests and not call.future.done():
                head = call.head(request) if begins else b""
                if piece:
                    head += _part_head(request, piece)
                if small:
                    head = b"".join([self._small.popleft() for _ in range(small)]) + head
                self._wire.send_all(head, piece, call.deadline + _GRACE_SECONDS)
                is_written = True
        finally:
            self._write.release()
        self._send_small()
        return is_written

    def cancel(self, call: Call) -> None:
        for request, known in list(self._requests.items()):
            if known is call:
                self._send(frames.Cancel(request))

    def _send(self, frame: Any) -> None:
        """At once or with the next write: neither who reads nor who gives up waits for a host that reads nothing."""
        self._later(frame)
        self._send_small()

    def _later(self, frame: Any) -> None:
        if len(self._small) >= _MOST_WAITING:
            self.end(OSError(f"the host reads nothing: {_MOST_WAITING} small frames wait for it"))
        else:
            self._small.append(frames.encode(frame))

    def _send_small(self) -> None:
        if not self._small:
            return
        with self._sending:
            # Whoever writes a call sends them when he has given `_write` back.
            if not self._write.acquire(blocking=False):
                return
            try:
                while self._small:
                    first = self._small[0]
                    sent = self._wire.send_now(first)
                    if sent < len(first):
                        self._small[0] = first[sent:]
                        return
                    self._small.popleft()
            except OSError:
                pass  # whoever reads finds out
            finally:
                self._write.release()

    def read(self, is_over: Callable[[], bool] | None = None) -> Call | None:
        """Takes one frame; a call that it ends, or None. Whose turn it is.

        :param is_over: asked now and then: whether to wait no longer
        :raises NothingCame: it was over
        :raises Lost: for good
        """
        if self.loss is not None:
            raise self.loss
        self._is_over = is_over
        try:
            return self._take(self._reader.next())
        except EOFError:
            self.loss = Lost(reason(self._ended) if self._ended else "the host has closed the connection")
        except Lost as loss:
            self.loss = loss
        except NothingCame:
            raise
        except Exception as broken:
            self.loss = Lost(reason(self._ended or broken))
        except BaseException:  # an interrupt may have come in the middle of a frame
            self.loss = Lost("whoever read it was interrupted")
            raise
        raise self.loss

    def _take(self, frame: Any) -> Call | None:
        match frame:
            case frames.Result():
                call = self._requests.get(frame.request)
                if call is not None and call.on_result(frame):
                    return self._requests.pop(frame.request)
            case frames.Part():
                call = self._requests.get(frame.request)
                if call is not None and call.is_whole:
                    del self._requests[frame.request]
                    # Before anybody goes on, whose next call takes it along, or who closes.
                    self._later(frames.Got(frame.request))
                    call.on_whole()
                    # The next call is not far, as a rule, and takes it along: else the next tick, or the end, does.
                    if self._requests or call.received > _SOON_TAKEN_BYTES:
                        self._send_small()
                    return call
            case frames.Failed():
                call = self._requests.pop(frame.request, None)
                if call is not None:
                    call.on_failed(frame)
                    return call
            case frames.Moved():
                raise Lost("the process is another host's now", at_once=True, moved_to=frame.address)
            case frames.GoAway():
                raise _sent_away(frame)
            case frames.Ping():
                self._send(frames.Pong(frame.number))
            case frames.Pong():
                pass
            case _:
                raise Lost(f"a {type(frame).__name__} is not for a host to send")
        return None

    def end(self, why: BaseException) -> None:
        """It may have half a frame. Whoever reads finds out, and says why."""
        self._ended = why
        self.close()

    def close(self) -> None:
        if self.is_open and self._ended is None:
            self._send_small()
        self.is_open = False
        self._wire.close()


def _pieces(parts: Sequence[memoryview], most: int) -> list[Piece]:
    """A large value as frames have it. An array's header goes with its data where there is room for both: alone, it would be a
    write of its own, and a wake-up of the host."""
    if sum(map(len, parts)) <= most:
        return [tuple(parts)]
    return [(part[at : at + most],) for part in parts for at in range(0, len(part), most)]


def _part_head(request: int, piece: Piece) -> bytes:
    return frames.PART_HEAD.pack(9 + sum(map(len, piece)), frames.PART, request)


def _sent_away(end: frames.GoAway) -> Lost:
    return Lost(f"the host ends the connection: {end.error}: {end.cause}")


def reason(why: BaseException) -> str:
    """What is no trouble of the network's is told with its kind, for its text may say nothing alone."""
    own = isinstance(why, (Lost, RefusedHere, OSError, frames.BadFrame))
    return str(why) if own and str(why) else repr(why)


def lost(why: BaseException) -> Unavailable:
    return Unavailable(f"the process cannot be reached: {reason(why)}")
