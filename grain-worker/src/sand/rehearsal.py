"""Rehearsals: an instance's path from the reply to take to its finish, run with a dummy event and a dummy handler.

In the worker, some rounds before it forks, so that the interpreter has specialised the path and no child repeats that. In
each child once, before it waits, so that the memory it touches is its own by then.
"""

from __future__ import annotations

from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_DGRAM, socketpair
from typing import Any

from sand import values
from sand.connection import Connection
from sand.instance import Instance
from sand.messages import SCHEMA_VERSION, EventMessage, Payload, TakeReply
from sand.protocol import TAKE
from sand.wire import REPLY, message

WORKERS_ROUNDS = 30


class Stage:
    """A pair of sockets that all children of a worker share: each message of theirs is the same, whoever reads it."""

    def __init__(self) -> None:
        self._near, self._far = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC)
        self._connection = Connection(self._far)

    def warm(self, instance: Instance) -> None:
        """The worker's rounds."""
        instance.begin("warm", self._connection)
        for _ in range(WORKERS_ROUNDS):
            self.play(instance)

    def play(self, instance: Instance) -> None:
        """One round. The marks of its attempt go to /dev/null."""
        real = instance.connection
        instance.connection = self._connection
        self._near.send(_FRAME)
        instance.step(_handler, (0, 0), True)
        self._near.recv(1024)
        instance.connection = real

    def leave(self) -> None:
        """In the child, after its round."""
        self._near.close()
        self._far.close()


def _handler(event: Any, context: Any) -> Any:
    return {"rehearsed": [event, 1.5, None]}


def _frame() -> bytes:
    event = EventMessage(
        SCHEMA_VERSION, "rehearsal/main", "rehearsal", "rehearsal", 1, 1000,
        Payload(values.JSON, b'{"key": ["value", 1, 2.5, true, null], "text": "\\u00e9"}'),
    )  # fmt: skip
    body = [b"\x0c\0\0"]
    TAKE.result.encode(body, TakeReply(event))
    return message(REPLY, TAKE.name, 0, [*body, b"\0"])


_FRAME = _frame()
