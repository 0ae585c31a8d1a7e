"""`Process`: a cloud process in a program's hands. Threads may share one; calls of all go over one connection."""

from __future__ import annotations

import random
import ssl
import threading
import time
from concurrent.futures import Future
from typing import Any

from sand.client.calls import Call, new_id
from sand.client.connection import Connection, Lost, NothingCame, lost
from sand.client.place import CONNECT_SECONDS, Fatal, Place
from sand.errors import SandError, Timeout, TooLarge, Unavailable, UnknownGrain
from sand.process import is_utf8, seconds

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0
# For how long after a call the next one is expected, and read by whoever waits for it.
_STAND_BACK_SECONDS = 0.5
# What the host's own answer about a deadline may take to come.
_GRACE_SECONDS = 1.0


class Process:
    """A cloud process of an application, which is made when it is not there: on entry, or by a call. What ends meanwhile is not
    made again before the next call.

    :param server: of the control plane: http://host:port
    :param token: shown to it as `Authorization: Bearer`
    :param functions: the only ones that this client means to invoke; None: any
    :param tls: for hosts that speak TLS; None: the system's certificates
    :ivar reconnects: connections that there have been after the first: how often one was lost, or the process moved; -1 before
        the first
    :ivar moved_to: where the process was when it was last told to have moved: `host:port`, behind `tls://` if so; None: nobody
        has said
    :raises ValueError: at once, when the server is no control plane's address, the token nothing that can be shown, or a name
        one that nothing has
    :raises SandError: on entry, when there is no way to it
    """

    def __init__(
        self,
        server: str,
        application: str,
        process: str,
        *,
        token: str | None = None,
        functions: list[str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        for name, text in (("server", server), ("application", application), ("process", process)):
            if not isinstance(text, str):
                raise TypeError(f"{name} is text, not {text!r:.100} ({type(text).__name__})")
        if functions is not None and (isinstance(functions, str) or not all(isinstance(one, str) for one in functions)):
            raise TypeError(f"functions is a list of names, or None, not {functions!r:.100}")
        if token is not None and not isinstance(token, str):
            raise TypeError(f"token is text, or None, not a {type(token).__name__}")
        self.application = application
        self.id = process
        self._place = Place(server, application, process, token, functions, tls)
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._calls: dict[Call, None] = {}
        self._connection: Connection | None = None
        self._room = 1
        self._offset_ms = 0
        self._trouble: BaseException | None = None
        # Why nobody connects any more, and how often that was so.
        self._refusal: SandError | None = None
        self._refusals = 0
        self._is_closed = False
        # The connection has brought an answer, or has lasted: the next one need not wait. Of the thread that connects.
        self._is_useful = False
        self._thread: threading.Thread | None = None
        # Somebody waits for an answer himself, and did so a moment ago.
        self._is_awaited = False
        self.reconnects = -1
        self.moved_to: str | None = None

    def __enter__(self) -> Process:
        until = time.monotonic() + CONNECT_SECONDS
        with self._lock:
            self._start()
            while self._connection is None and self._thread is not None:
                if not self._changed.wait(until - time.monotonic()) and time.monotonic() >= until:
                    break
            trouble = self._trouble if self._connection is None else None
            connected = self._connection is not None
        if not connected:
            self.close()
            raise trouble if isinstance(trouble, SandError) else lost(trouble or TimeoutError("nothing answers"))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what one does with it

    def invoke(self, function: str, data: Any = None, *, timeout: float | None = 60.0) -> Any:
        """What the function gives.

        :param timeout: seconds; None: as long as it takes
        :raises InvocationFailed: nothing; `error` and `cause` are its own
        :raises Timeout, Overloaded, TooLarge, Denied, Unavailable: it may have run when it was not refused
        """
        call = self._begin(function, data, timeout, is_awaited=True)
        try:
            self._await(call)
            return call.future.result(call.left() + _GRACE_SECONDS)
        except TimeoutError as late:
            if call.future.done() and isinstance(late, SandError):
                raise
            self._give_up(call, Timeout(f"{function} has not answered within {timeout} s"))
            return call.future.result()
        except KeyboardInterrupt:
            self._give_up(call, Timeout("interrupted"))
            raise

    def submit(self, function: str, data: Any = None, *, timeout: float | None = 60.0) -> Future[Any]:
        """The same as a future: many may be under way at once. Waits while as many are as the host takes.

        To cancel the future cancels the function.
        """
        call = self._begin(function, data, timeout)
        call.future.add_done_callback(lambda future: self._drop(call) if future.cancelled() else None)
        return call.future

    def _begin(self, function: str, data: Any, timeout: float | None, is_awaited: bool = False) -> Call:
        if not isinstance(function, str):
            raise TypeError(f"function is the name of a grain, not {function!r:.100} ({type(function).__name__})")
        if not is_utf8(function):
            raise UnknownGrain(f"the application has no grain {function!r}")
        within = threading.TIMEOUT_MAX if timeout is None else seconds(timeout)
        call = Call(function, data, time.monotonic() + min(within, threading.TIMEOUT_MAX / 2))
        with self._lock:
            self._await_room(call)
            connection = self._connection
            call.is_awaited = is_awaited
            self._calls[call] = None
            if connection is not None:
                self._take(call, connection)
            if not is_awaited:
                self._changed.notify_all()  # the thread that reads may stand back
        if connection is not None:
            try:
                self._send(call, connection)
            except BaseException:  # an interrupt, among others: nobody has the call who could give its place back
                self._drop(call)
                raise
        return call

    def _await_room(self, call: Call) -> None:
        """Until one more may be under way; under the lock."""
        refusals = self._refusals
        if not self._is_closed:
            self._start()
        while not self._is_closed and len(self._calls) >= self._room:
            came = self._changed.wait(max(0.0, call.left()))
            if self._refusal is not None and self._refusals != refusals:
                raise self._refusal
            if not came and call.left() <= 0:
                raise Timeout(f"{len(self._calls)} invocations are under way, and no more may be")
        if self._is_closed:
            raise Unavailable("the client is closed")

    def _take(self, call: Call, connection: Connection) -> None:
        """The call goes over that connection; under the lock."""
        call.connection = connection
        if not call.id:
            call.id = new_id(time.time_ns() // 1_000_000 + self._offset_ms)
        if call.size > connection.welcome.value_bytes:
            call.connection = None
            del self._calls[call]
            raise TooLarge(f"an input of {call.size} bytes; the host's limit is {connection.welcome.value_bytes}")

    @staticmethod
    def _send(call: Call, connection: Connection) -> None:
        try:
            connection.invoke(call)
        except OSError as broken:
            connection.end(broken)  # its reader finds out, and the call is sent over the next one
        except BaseException as broken:
            connection.end(broken)
            raise

    def _send_again(self, calls: list[Call], connection: Connection) -> None:
        try:
            for call in calls:
                self._send(call, connection)
        except Exception:
            pass  # the connection has ended with it: those that were not sent are, over the next one

    def _await(self, call: Call) -> None:
        """Reads until the call has ended, unless somebody else does: an answer then wakes one thread, and not two."""
        connection = call.connection
        if connection is None or not connection.reading.acquire(blocking=False):
            with self._lock:
                self._is_awaited, call.is_awaited = True, False
                self._changed.notify_all()
            return
        self._is_awaited = True
        is_over = lambda: call.has_ended or call.left() < -_GRACE_SECONDS  # noqa: E731
        try:
            while not is_over():
                self._ended(connection.read(is_over))
        except (Lost, NothingCame):
            pass  # the thread that connects finds the loss too
        finally:
            call.is_awaited = False
            connection.reading.release()
            if self._calls or connection.loss is not None:
                with self._lock:
                    self._changed.notify_all()

    def _give_up(self, call: Call, error: SandError) -> None:
        call.fail(error)
        self._drop(call)

    def _drop(self, call: Call) -> None:
        """Nobody waits for it any more."""
        call.settle()
        with self._lock:
            self._calls.pop(call, None)
            connection = call.connection
            self._changed.notify_all()
        if connection is not None and connection.is_open:
            connection.cancel(call)

    def close(self) -> None:
        """Calls that are not answered fail; what they invoked may go on."""
        with self._lock:
            self._is_closed = True
            connection = self._connection
            thread = self._thread
            self._changed.notify_all()
        if connection is not None:
            connection.close()
        if thread is not None and thread is not threading.current_thread():
            thread.join(CONNECT_SECONDS)
        self._fail_all(Unavailable("the client is closed"))

    # --- the thread that reads, and connects

    def _start(self) -> None:
        if self._thread is None:
            self._trouble = None
            thread = threading.Thread(target=self._run, name=f"sand-process-{self.id}", daemon=True)
            thread.start()
            self._thread = thread

    def _run(self) -> None:
        """Whatever is raised here is trouble, and the next attempt may do better; nobody waits for a thread that has ended in
        silence."""
        try:
            self._connect_again_and_again()
        except Fatal as fatal:
            error = fatal.__cause__
            assert isinstance(error, SandError)
            self._refuse(error)
        except Exception as fault:  # of what was to be done about the one before
            self._refuse(lost(fault))

    def _refuse(self, error: SandError) -> None:
        """Nobody connects any more, until a call comes; those that are under way fail."""
        with self._lock:
            self._trouble = self._refusal = error
            self._refusals += 1
            self._thread = None
            calls = self._left()  # those alone that were there: the next one begins anew
        _fail(calls, error)

    def _connect_again_and_again(self) -> None:
        pause = _FIRST_PAUSE
        while not self._is_closed:
            self._expire()
            self._is_useful = False
            try:
                # What was there once is made again by a call alone: a connection that its kill has ended is no reason to.
                self._serve(self._place.connect(create=self.reconnects < 0))
            except Fatal:
                raise
            except Exception as trouble:
                pause = self._pause(trouble, _FIRST_PAUSE if self._is_useful else pause)
        self._fail_all(Unavailable("the client is closed"))

    def _pause(self, trouble: Exception, pause: float) -> float:
        """Before the next connection. :return: the next one, should that be of no use either"""
        at_once = isinstance(trouble, Lost) and trouble.at_once and pause == _FIRST_PAUSE
        with self._lock:
            self._trouble = lost(trouble)
            if isinstance(trouble, Lost) and trouble.moved_to:
                self.moved_to = trouble.moved_to
            if not at_once and not self._is_closed:
                self._changed.wait(pause * random.uniform(0.5, 1.0))
        return min(pause * 2, _LONGEST_PAUSE)

    def _serve(self, connection: Connection) -> None:
        began = time.monotonic()
        try:
            self._converse(connection)
        finally:
            self._is_useful |= time.monotonic() - began > _LONGEST_PAUSE
            connection.close()
            with self._lock:
                self._connection = None

    def _converse(self, connection: Connection) -> None:
        connection.on_tick = self._on_tick  # type: ignore[method-assign]
        with self._lock:
            self._connection = connection
            self._trouble = None
            self._room = connection.welcome.in_flight
            self._offset_ms = connection.welcome.now_ms - time.time_ns() // 1_000_000
            self.reconnects += 1
            before = list(self._calls)
            for call in before:
                try:
                    self._take(call, connection)
                except TooLarge as large:
                    call.fail(large)
            self._changed.notify_all()
        if before:
            # Not on this thread, which has to read meanwhile.
            threading.Thread(target=self._send_again, args=(before, connection), daemon=True).start()
        while not self._is_closed:
            with connection.reading:
                self._ended(connection.read())
            if self._is_awaited:
                self._stand_back(connection)

    def _ended(self, call: Call | None) -> None:
        if call is not None:
            self._is_useful = True
            with self._lock:
                self._calls.pop(call, None)
                if len(self._calls) + 1 >= self._room:
                    self._changed.notify_all()

    def _stand_back(self, connection: Connection) -> None:
        """Whoever waits for an answer reads himself, as long as one call follows another and there are no others."""
        with self._lock:
            while self._is_awaited and not self._is_closed and connection.loss is None and self._is_attended(connection):
                self._is_awaited = False
                self._changed.wait(_STAND_BACK_SECONDS)

    def _is_attended(self, connection: Connection) -> bool:
        return connection.reading.locked() or all(call.is_awaited for call in self._calls)

    def _on_tick(self) -> None:
        self._expire()
        if self._is_closed:
            raise Lost("closed")

    def _expire(self) -> None:
        """Calls whose host has not said in time that their time is over."""
        with self._lock:
            late = [call for call in self._calls if call.left() < -_GRACE_SECONDS]
        for call in late:
            self._give_up(
                call, Timeout(f"{call.function} has not answered in its time ({self._trouble or 'the host is silent'})")
            )

    def _fail_all(self, error: SandError) -> None:
        with self._lock:
            calls = self._left()
        _fail(calls, error)

    def _left(self) -> list[Call]:
        """All that are under way, and are no more; under the lock."""
        calls = list(self._calls)
        self._calls.clear()
        self._changed.notify_all()
        return calls


def _fail(calls: list[Call], error: SandError) -> None:
    for call in calls:
        call.fail(error)
