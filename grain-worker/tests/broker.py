"""A host agent's side of the sockets for tests, on an independent Thrift library: it reads and writes what the IDL says.

One thread a connection. Everything that arrives is kept; `until` waits for a condition over it.
"""

from __future__ import annotations

import array
import contextlib
import os
import shutil
import socket
import tempfile
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from broker_data import DataCalls, Refused, sand
from broker_processes import ProcessCalls
from thriftpy2.protocol.binary import TBinaryProtocol
from thriftpy2.thrift import TApplicationException, TMessageType
from thriftpy2.transport import TMemoryBuffer

PATIENCE_SECONDS = 20
_SERVICES = {"bus.sock": (sand.LocalBus, sand.Control), "data.sock": (sand.Segments,)}


class Broker(DataCalls, ProcessCalls):
    """The folder with bus.sock, data.sock and log.sock, and what the sandbox's processes said on them."""

    def __init__(self) -> None:
        DataCalls.__init__(self)
        ProcessCalls.__init__(self)
        self.directory = Path(tempfile.mkdtemp(prefix="sand-", dir="/tmp"))
        self.changed = threading.Condition()
        self.reports: list[Any] = []
        self.finished: list[Any] = []
        self.failed: list[Any] = []
        self.published: list[Any] = []
        self.waiting: deque[Any] = deque()
        self.takes: list[Any] = []
        self.closed: list[str] = []
        self.frames: list[tuple[str, str]] = []
        self.logs: dict[tuple[str, int], bytes] = defaultdict(bytes)
        self.queued: list[Any] = []
        self.objects: dict[str, int] = {}
        self.collect_logs = threading.Event()
        self.collect_logs.set()
        self._commands: dict[str, deque[Any]] = defaultdict(deque)
        self._polls: dict[str, Any] = {}
        self.callers: dict[str, Any] = {}
        self._supervised: dict[str, _Connection] = {}
        self._events: deque[Any] = deque()
        self._listeners = [self._listen(name, serve) for name, serve in
                           (("bus.sock", self._serve), ("data.sock", self._serve), ("log.sock", self._collect))]  # fmt: skip

    def close(self) -> None:
        for listener in self._listeners:
            listener.close()
        for fd in self.objects.values():
            os.close(fd)
        self.objects.clear()
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- what a test says

    def command(self, caller: str, **member: Any) -> None:
        """Sends a command to the supervisor (its token) or a worker (its id)."""
        with self.changed:
            self._commands[caller].append(sand.Command(**member))
            self._send_commands(caller)

    def hand(self, event: Any) -> None:
        """To the instance that waits longest, or to the next one that does."""
        with self.changed:
            self._events.append(event)
            self._hand_over()

    def dismiss(self) -> None:
        """The instance that waits longest is to end."""
        with self.changed:
            taken = self.waiting.popleft()
            taken.reply(sand.TakeReply())

    def hang_up(self, caller: str) -> None:
        """Closes the connection of a supervisor or worker."""
        self._supervised[caller].stream.shutdown(socket.SHUT_RDWR)

    def until(self, condition: Callable[[], Any], what: str = "a condition") -> Any:
        """The condition's value, once it is true."""
        end = time.monotonic() + PATIENCE_SECONDS
        with self.changed:
            while not (value := condition()):
                left = end - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"waited in vain for {what}; {self.describe()}")
                self.changed.wait(min(left, 0.25))
            return value

    def describe(self) -> str:
        return f"reports {self.reports}, failed {self.failed}, logs {dict(self.logs)}"

    def report(self, member: str, **fields: Any) -> Any:
        """Waits for a report of that kind with those fields."""

        def found() -> Any:
            for report in self.reports:
                value = getattr(report, member)
                if value is not None and all(getattr(value, name) == want for name, want in fields.items()):
                    return value
            return None

        return self.until(found, f"report {member} {fields}")

    def log(self, process: str, fd: int = 1) -> str:
        """What that process wrote so far, marks left out."""
        lines = self.logs[process, fd].decode("utf-8", "replace").split("\n")
        return "\n".join(line for line in lines if not line.startswith("\x1e"))

    # --- what the sockets say

    def _listen(self, name: str, serve: Callable[[socket.socket, str], None]) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self.directory / name))
        listener.listen(512)

        def accept() -> None:
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(stream, name), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return listener

    def _collect(self, stream: socket.socket, _name: str) -> None:
        source = stream.makefile("rb", buffering=0)
        head = b""
        while not head.endswith(b"\n"):
            byte = source.read(1)
            if not byte:
                return
            head += byte
        fd, _, process = head.decode().rstrip("\n").partition(" ")
        while True:
            self.collect_logs.wait()
            try:
                data = source.read(65536)
            except OSError:
                return
            if not data:
                return
            with self.changed:
                kept = self.logs[process, int(fd)]
                if len(kept) < 1 << 20:
                    self.logs[process, int(fd)] = kept + data
                self.changed.notify_all()

    def _serve(self, stream: socket.socket, name: str) -> None:
        connection = _Connection(self, stream, name)
        try:
            while frame := connection.read():
                connection.handle(frame)
        except OSError:
            pass
        with self.changed:
            if connection.instance:
                self.closed.append(connection.instance)
            for taken in [taken for taken in self.waiting if taken.connection is connection]:
                self.waiting.remove(taken)
            self.changed.notify_all()

    def _hand_over(self) -> None:
        while self._events and self.waiting:
            self.waiting.popleft().reply(sand.TakeReply(event=self._events.popleft()))

    def _send_commands(self, caller: str) -> None:
        pending = self._commands[caller]
        if pending and caller in self._polls:
            reply = self._polls.pop(caller)
            reply(sand.CommandsReply(commands=list(pending)))
            pending.clear()

    def on(self, connection: _Connection, method: str, argument: Any, reply: Callable[[Any], None]) -> None:
        """One call; under the lock."""
        match method:
            case "take":
                self.takes.append(argument)
                self.waiting.append(_Taken(connection, argument, reply))
                self._hand_over()
            case "finish":
                self.finished.append(argument)
            case "fail":
                self.failed.append(argument)
            case "publish":
                self.published.append(argument)
                reply(None)
            case "commands":
                self.callers[argument.caller] = argument
                self._supervised[argument.caller] = connection
                self._polls[argument.caller] = reply
                self._send_commands(argument.caller)
            case "report":
                self.reports.append(argument)
            case "allocate":
                name = f"o{len(self.objects)}"
                fd = os.memfd_create(name)
                os.truncate(fd, argument.size)
                self.objects[name] = fd
                connection.send_descriptor = fd
                reply(sand.SegmentReply(object=name, size=argument.size))
            case "open":
                fd = self.objects.get(argument.object)
                if fd is None:
                    raise Refused("Sand.NotFound", f"no object {argument.object}")
                connection.send_descriptor = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
                reply(sand.SegmentReply(object=argument.object, size=os.fstat(fd).st_size))
            case "table":
                reply(self.table(argument))
            case "object":
                reply(self.object(argument))
            case "control":
                reply(self.control(argument))
            case "enqueue":
                self.queued.append(argument)
                reply(f"{argument.eventId}#{argument.number}")
            case _ if method in ProcessCalls.METHODS:
                self.process_call(method, argument, reply)
            case _:
                reply(self.data(method, argument))


class _Taken:
    def __init__(self, connection: _Connection, request: Any, reply: Callable[[Any], None]) -> None:
        self.connection = connection
        self.request = request
        self.reply = reply


class _Connection:
    def __init__(self, broker: Broker, stream: socket.socket, name: str) -> None:
        self.broker = broker
        self.stream = stream
        self.services = _SERVICES[name]
        self.instance = ""
        self.send_descriptor: int | None = None
        self.taking = False

    def read(self) -> bytes:
        """The next frame; empty at the end."""
        head = self.stream.recv(4, socket.MSG_WAITALL)
        return self.stream.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL) if len(head) == 4 else b""

    def handle(self, frame: bytes) -> None:
        protocol = TBinaryProtocol(TMemoryBuffer(frame), strict_read=True, strict_write=True)
        method, kind, sequence = protocol.read_message_begin()
        service = next((s for s in self.services if method in s.thrift_services), None)
        if service is None:
            self.write(method, TMessageType.EXCEPTION, sequence, TApplicationException(1, f"no method {method}"))
            return
        arguments = getattr(service, f"{method}_args")()
        arguments.read(protocol)
        protocol.read_message_end()
        argument = getattr(arguments, arguments.thrift_spec[1][1])
        result_class = getattr(service, f"{method}_result")
        oneway = result_class.oneway
        assert kind == (TMessageType.ONEWAY if oneway else TMessageType.CALL), f"{method} is sent as {kind}"
        assert_complete(argument)

        def reply(value: Any) -> None:
            result = result_class()
            if value is not None:
                result.success = value
            if method == "take":
                self.taking = False
            self.write(method, TMessageType.REPLY, sequence, result)

        with self.broker.changed:
            if method == "take":
                self.instance = argument.instance
                assert not self.taking, "a second take on a connection that has one outstanding"
                self.taking = True
            self.broker.frames.append((self.instance, method))
            try:
                self.broker.on(self, method, argument, reply)
            except Refused as refused:
                self.write(method, TMessageType.REPLY, sequence,
                           result_class(error=sand.BusError(error=refused.error, message=str(refused))))  # fmt: skip
            self.broker.changed.notify_all()

    def write(self, method: str, kind: int, sequence: int, body: Any) -> None:
        buffer = TMemoryBuffer()
        protocol = TBinaryProtocol(buffer, strict_write=True)
        protocol.write_message_begin(method, kind, sequence)
        body.write(protocol)
        protocol.write_message_end()
        content = buffer.getvalue()
        frame = len(content).to_bytes(4, "big") + content
        with contextlib.suppress(OSError):
            if self.send_descriptor is None:
                self.stream.sendall(frame)
            else:
                rights = array.array("i", [self.send_descriptor])
                sent = self.stream.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                self.stream.sendall(frame[sent:])
                self.send_descriptor = None


def assert_complete(value: Any) -> None:
    """Every required field of the IDL is there, all the way down."""
    if isinstance(value, list):
        for item in value:
            assert_complete(item)
    for _, name, *rest in getattr(value, "thrift_spec", {}).values():
        field = getattr(value, name)
        assert field is not None or not rest[-1], f"{type(value).__name__} without its required {name}"
        assert_complete(field)
