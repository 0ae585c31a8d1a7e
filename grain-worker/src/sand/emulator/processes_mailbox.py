"""A cloud process's mailbox (PraaS 4.2): one queue for each source and key, bounded as a whole. No threads, no clock.

    room reserved ─▶ added ─▶ borrowed by an attempt ─▶ settled: it has ended well
                       ▲────────────┘ given back: it has not
What is borrowed or reserved keeps its room.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

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


def invocation(name: str) -> tuple[str, str]:
    """Function and key of a message that invokes. :param name: invoke:<function>:<key>"""
    function, _, key = name[len(INVOKES) :].partition(":")
    return function, key


class Invoking:
    """Messages that feed one function's trigger, in order of arrival.

    Which key has enough of them is kept as they come and go: a trigger that waits for many keys looks at none of the others.
    """

    def __init__(self) -> None:
        self._all: OrderedDict[int, Message] = OrderedDict()
        self._by_key: dict[str, list[Message]] = {}
        self._count = 0
        self._complete: list[tuple[int, str]] = []
        """A heap of keys with `_count` messages, by the order of the one that made them so many; some are so no more."""

    def __len__(self) -> int:
        return len(self._all)

    def all(self) -> list[Message]:
        return list(self._all.values())

    @property
    def oldest(self) -> Message:
        return next(iter(self._all.values()))

    def first(self, count: int) -> list[Message]:
        return list(islice(self._all.values(), count))

    def of_key(self, key: str, count: int) -> list[Message]:
        return self._by_key[key][:count]

    def complete(self, count: int) -> list[Message]:
        """So many of the key that was the first to have them, or none."""
        if count != self._count:
            self._count, self._complete = count, []
            for key in self._by_key:
                self._see(key)
        while self._complete:
            order, key = self._complete[0]
            same = self._by_key.get(key, ())
            if len(same) >= count and same[count - 1].order == order:
                return list(same[:count])
            heappop(self._complete)
        return []

    def _see(self, key: str) -> None:
        same = self._by_key[key]
        if 0 < self._count <= len(same):
            heappush(self._complete, (same[self._count - 1].order, key))

    def add(self, message: Message) -> None:
        _, key = invocation(message.key)
        self._all[message.order] = message
        same = self._by_key.setdefault(key, [])
        same.append(message)
        if len(same) == self._count:
            self._see(key)

    def remove(self, message: Message) -> None:
        _, key = invocation(message.key)
        del self._all[message.order]
        self._by_key[key].remove(message)
        if self._by_key[key]:
            self._see(key)
        else:
            del self._by_key[key]


class _Line:
    """Unread messages that receivers of one kind get, the oldest first."""

    def __init__(self) -> None:
        self._all: OrderedDict[int, Message] = OrderedDict()
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._all)

    def add(self, message: Message) -> None:
        """Those that are given back come behind younger ones: all are put in their places once somebody asks."""
        self._is_sorted = self._is_sorted and (not self._all or next(reversed(self._all)) < message.order)
        self._all[message.order] = message

    def remove(self, message: Message) -> None:
        del self._all[message.order]

    def all(self) -> list[Message]:
        if not self._is_sorted:
            self._all, self._is_sorted = OrderedDict(sorted(self._all.items())), True
        return list(self._all.values())

    def oldest(self) -> Message:
        if not self._is_sorted:
            self.all()
        return next(iter(self._all.values()))


class Mailbox:
    """Any source, or any key, is None. What invokes functions is in `invoking` alone, by function."""

    def __init__(self) -> None:
        self.messages = 0
        self.bytes = 0
        self._lines: dict[tuple[str | None, str | None], _Line] = {}
        """By what receivers ask for."""
        self.invoking: dict[str, Invoking] = {}
        self._arrivals = 0
        self._borrowed: dict[int, Message] = {}

    def has_room(self, size: int, messages: int, bytes: int) -> bool:
        """:param messages: and bytes: the bounds"""
        return self.messages < messages and self.bytes + size <= bytes

    def refusal(self, process: str, size: int, messages: int, bytes: int) -> str:
        """Why a message has no room, as the platform says it."""
        if self.messages >= messages:
            over = (f"{messages} messages", self.messages + 1)
        elif self.bytes + size > bytes:
            over = (f"{bytes} bytes", self.bytes + size)
        else:
            return f"others wait to send to process {process}"
        limit, actual = over
        words = f"process {process} has a mailbox of {limit}, and this message would make it {actual}"
        if not self._borrowed:
            return words
        received = f"functions that have not ended have received {len(self._borrowed)} of its messages"
        return f"{words}; {received}, and keep that room until they end"

    def reserve(self, size: int) -> None:
        self._count(size, 1)

    def release(self, size: int) -> None:
        self._count(size, -1)

    def add(self, source: str, key: str, payload: Payload, now_ns: int) -> Message:
        """In room that was reserved."""
        self._arrivals += 1
        message = Message(source, key, payload, self._arrivals, now_ns)
        if key.startswith(INVOKES):
            self.invoking.setdefault(invocation(key)[0], Invoking()).add(message)
        else:
            self._link(message)
        return message

    def borrow(self, source: str | None, key: str | None) -> Message | None:
        """The oldest that matches: the borrower's until it is given back or settled."""
        line = self._lines.get((source, key))
        if line is None:
            return None
        oldest = line.oldest()
        self._unlink(oldest)
        self._borrowed[oldest.order] = oldest
        return oldest

    def give_back(self, message: Message) -> None:
        """To its place: before those of its queue that came after it."""
        del self._borrowed[message.order]
        self._link(message)

    def settle(self, message: Message) -> None:
        """It was borrowed, and is gone."""
        del self._borrowed[message.order]
        self.release(message.size)

    def take(self, messages: list[Message]) -> None:
        """They are gone; of those in `invoking`."""
        for message in messages:
            function, _ = invocation(message.key)
            self.invoking[function].remove(message)
            if not self.invoking[function]:
                del self.invoking[function]
            self.release(message.size)

    def unread(self) -> list[Message]:
        """All of them, in order of arrival, but those that are borrowed."""
        found = self._lines[None, None].all() if self._lines else []
        found += [one for waiting in self.invoking.values() for one in waiting.all()]
        return sorted(found, key=lambda one: one.order)

    @property
    def borrowed(self) -> list[Message]:
        return list(self._borrowed.values())

    def _link(self, message: Message) -> None:
        for asked in _fits(message):
            self._lines.setdefault(asked, _Line()).add(message)

    def _unlink(self, message: Message) -> None:
        for asked in _fits(message):
            self._lines[asked].remove(message)
            if not self._lines[asked]:
                del self._lines[asked]

    def _count(self, size: int, sign: int) -> None:
        self.messages += sign
        self.bytes += sign * size


def _fits(message: Message) -> list[tuple[str | None, str | None]]:
    """What receivers may ask for who get it."""
    return [(source, key) for source in (message.source, None) for key in (message.key, None)]
