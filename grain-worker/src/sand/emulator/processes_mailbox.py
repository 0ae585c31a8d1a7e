"""A cloud process's mailbox (PraaS 4.2): one queue for each source and key, bounded as a whole. No threads, no clock.

    room reserved ─▶ added ─▶ borrowed by an attempt ─▶ settled: it has ended well
                       ▲────────────┘ given back: it has not
What is borrowed or reserved keeps its room.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass

from sand.messages import Payload

INVOKES = "invoke:"


@dataclass(eq=False)
class Message:
    """:param order: of arrival in its mailbox, :param at_ns: when that was"""

    source: str
    key: str
    payload: Payload
    order: int
    at_ns: int

    @property
    def size(self) -> int:
        return len(self.payload.bytes or b"")


class Mailbox:
    """Any source, or any key, is None. What invokes functions is for `invoking` alone."""

    def __init__(self) -> None:
        self.messages = 0
        self.bytes = 0
        self._queues: dict[tuple[str, str], list[Message]] = {}
        self._arrivals = 0
        self.borrowed: list[Message] = []

    def has_room(self, size: int, messages: int, bytes: int) -> bool:
        """:param messages: and bytes: the bounds"""
        return self.messages < messages and self.bytes + size <= bytes

    def reserve(self, size: int) -> None:
        self._count(size, 1)

    def release(self, size: int) -> None:
        self._count(size, -1)

    def add(self, source: str, key: str, payload: Payload, now_ns: int) -> Message:
        """In room that was reserved."""
        self._arrivals += 1
        message = Message(source, key, payload, self._arrivals, now_ns)
        self._queues.setdefault((source, key), []).append(message)
        return message

    def borrow(self, source: str | None, key: str | None) -> Message | None:
        """The oldest that matches: the borrower's until it is given back or settled."""
        heads = [
            queue[0]
            for (sender, name), queue in self._queues.items()
            if source in (None, sender) and key in (None, name) and not name.startswith(INVOKES)
        ]
        if not heads:
            return None
        oldest = min(heads, key=lambda message: message.order)
        self._unlink(oldest)
        self.borrowed.append(oldest)
        return oldest

    def give_back(self, message: Message) -> None:
        """To its place: before those of its queue that came after it."""
        self.borrowed.remove(message)
        insort(self._queues.setdefault((message.source, message.key), []), message, key=lambda one: one.order)

    def settle(self, message: Message) -> None:
        """It was borrowed, and is gone."""
        self.borrowed.remove(message)
        self.release(message.size)

    def take(self, messages: list[Message]) -> None:
        """They are gone; of those that `invoking` gave."""
        for message in messages:
            self._unlink(message)
            self.release(message.size)

    def invoking(self) -> Iterator[tuple[str, str, Message]]:
        """Function, invocation key and message, in order of arrival."""
        found = [one for (_, key), queue in self._queues.items() if key.startswith(INVOKES) for one in queue]
        for message in sorted(found, key=lambda one: one.order):
            function, _, key = message.key[len(INVOKES) :].partition(":")
            yield function, key, message

    def unread(self) -> list[Message]:
        """All of them, in order of arrival, but those that are borrowed."""
        return sorted((one for queue in self._queues.values() for one in queue), key=lambda one: one.order)

    def _unlink(self, message: Message) -> None:
        place = (message.source, message.key)
        self._queues[place].remove(message)
        if not self._queues[place]:
            del self._queues[place]

    def _count(self, size: int, sign: int) -> None:
        self.messages += sign
        self.bytes += sign * size
