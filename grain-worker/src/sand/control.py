"""How the supervisor and the workers hear of commands and ended children, in one place to wait. Single-threaded."""

from __future__ import annotations

import os
import select
import signal
from _signal import SIG_DFL, SIGCHLD, SIGTERM, set_wakeup_fd
from _signal import signal as set_handler
from _socket import MSG_DONTWAIT
from os import close
from typing import Any

from sand import hotpath
from sand.connection import ConnectionClosed, FrameBuffer, connect
from sand.messages import BusError, Command, CommandsRequest, Report, SpawnCommand
from sand.protocol import COMMANDS, REPORT, decode_reply, encode_call


class Signals:
    """SIGCHLD and SIGTERM as bytes on a pipe, so that a poll wakes up."""

    def __init__(self) -> None:
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, _nothing)

    def drain(self) -> bytes:
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""

    def leave(self) -> None:
        """In a forked child: its signals are its own again. The signal module would touch a hundred pages for its enums."""
        set_wakeup_fd(-1)
        set_handler(SIGCHLD, SIG_DFL)
        set_handler(SIGTERM, SIG_DFL)
        close(self.fd)
        close(self._write)


def _nothing(_number: int, _frame: Any) -> None:
    """Only there so that the signal reaches the wake-up descriptor."""


class Control:
    """One connection to bus.sock with the commands call outstanding on it.

    :param caller: the token this process was started with
    """

    def __init__(self, directory: str, caller: str, signals: Signals) -> None:
        self._signals = signals
        self._socket = connect(f"{directory}/bus.sock")
        self._frames = FrameBuffer()
        self._request = encode_call(COMMANDS, CommandsRequest(caller, os.getpid()))
        self._poll = select.poll()
        self._poll.register(self._socket.fileno(), select.POLLIN)
        self._poll.register(signals.fd, select.POLLIN)
        self._send(self._request)

    def wait(self, timeout_ms: float | None = None) -> tuple[bytes, list[Command]]:
        """Signal numbers and commands, as soon as there are any.

        :raises ConnectionClosed: the host agent is gone
        """
        got, commands = b"", []
        for fd, _ in self._poll.poll(timeout_ms):
            if fd == self._signals.fd:
                got = self._signals.drain()
            else:
                commands = self._read()
        return got, commands

    def _read(self) -> list[Command]:
        try:
            data = self._socket.recv(65536, MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except OSError as failed:
            raise ConnectionClosed(str(failed)) from failed
        if not data:
            raise ConnectionClosed("the host agent closed the connection")
        commands: list[Command] = []
        for frame in self._frames.feed(data):
            if names := hotpath.decode_spawn(frame):
                commands.append(SpawnCommand(names))
                self._send(self._request)
                continue
            reply = decode_reply(COMMANDS, frame)
            if isinstance(reply, BusError):
                raise ConnectionClosed(f"the host agent gives no commands: {reply.error}: {reply.message}")
            commands += reply.commands
            self._send(self._request)
        return commands

    def report(self, report: Report) -> None:
        self._send(encode_call(REPORT, report))

    def report_exited(self, instance: str, exit_code: int, signal: int, cpu_us: int, peak_memory_bytes: int) -> None:
        """The report of every instance that has no note."""
        self._send(hotpath.encode_exited(instance, exit_code, signal, cpu_us, peak_memory_bytes))

    def _send(self, frame: bytes) -> None:
        try:
            self._socket.sendall(frame)
        except OSError as failed:
            raise ConnectionClosed(str(failed)) from failed

    def leave(self) -> None:
        """In a forked child: the connection stays the parent's alone."""
        self._socket.close()
        self._signals.leave()
