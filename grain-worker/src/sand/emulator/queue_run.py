"""One queue of an application: what is delivered when. Pure, as the host agent's QueueRun: what happened and the time go in,
deliveries and burials come out. A message goes through

    waiting ─▶ under way ─▶ gone
       ▲          │ failed ─▶ pausing ─▶ under way …, at the last attempt: buried ─▶ gone
       └── refused by the platform: no attempt
"""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, deque
from dataclasses import dataclass, field, replace

from sand.emulator.problems import Failure
from sand.emulator.trigger_specs import FOREVER_MS, QueueSpec
from sand.messages import Payload

REMEMBERED_IDS = 10_000
REFUSED_PAUSE_MS = 1_000


@dataclass(frozen=True)
class Message:
    """:param group: its messages are worked on in order; None: in no order
    :param target: instead of the queue's own
    :param failed: the message that this one tells of, by id: this one has no handler of its own
    """

    id: str
    group: str | None
    payload: Payload
    enqueued_ms: int
    target: str | None = None
    failed: str | None = None


@dataclass(frozen=True)
class Batch:
    """Messages of one group that make one invocation. :param attempt: from 1"""

    group: Group
    messages: tuple[Message, ...]
    attempt: int = 1


@dataclass(eq=False)
class Group:
    """What waits of a group, each with when it arrived. :param alone: tells of dead letters, never together with others"""

    name: str | None
    alone: bool
    waiting: deque[tuple[Message, int]] = field(default_factory=deque)
    under_way: int = 0

    def has_room(self, spec: QueueSpec) -> bool:
        """Only the order of messages with a group's name needs the bound on one group."""
        return self.name is None or self.under_way < spec.group_concurrency

    def lingers_until_ms(self, spec: QueueSpec) -> int | None:
        """None: until there are enough. Messages without a group are of no key that others could complete."""
        if spec.linger_ms == FOREVER_MS and not self.alone:
            return None if self.name is not None else 0
        return 0 if self.alone else self.waiting[0][1] + spec.linger_ms

    def take(self, spec: QueueSpec, now_ms: int) -> tuple[Message, ...]:
        """The messages of the next invocation; none: not yet."""
        most = 1 if self.alone else spec.batch
        if not self.waiting:
            return ()
        until_ms = self.lingers_until_ms(spec)
        if len(self.waiting) < most and (until_ms is None or now_ms < until_ms):
            return ()
        return tuple(self.waiting.popleft()[0] for _ in range(min(most, len(self.waiting))))


@dataclass(frozen=True)
class Deliver:
    batch: Batch


@dataclass(frozen=True)
class Bury:
    batch: Batch
    failure: Failure
    execution_id: str | None


Action = Deliver | Bury


class QueueRun:
    """:param spec: may be replaced: a new version of the application says something else of the queue"""

    def __init__(self, spec: QueueSpec) -> None:
        self.spec = spec
        self.held = 0
        """Messages that are not gone yet."""
        self.sent = 0
        """That have ever come."""
        self._ids: OrderedDict[str, None] = OrderedDict()
        # Whoever was served longest ago first.
        self._groups: OrderedDict[tuple[str | None, bool], Group] = OrderedDict()
        self._pausing: list[tuple[int, int, Batch]] = []
        self._delivered: list[Batch] = []
        self._order = itertools.count()
        self._under_way = 0

    def messages(self) -> list[tuple[Message, int]]:
        """All that are not gone, in the order in which they were sent, each with how many attempts have failed."""
        batches = [*self._delivered, *(batch for _, _, batch in self._pausing)]
        begun = [(message, batch.attempt - 1) for batch in batches for message in batch.messages]
        waiting = [(message, 0) for group in self._groups.values() for message, _ in group.waiting]
        return sorted(begun + waiting, key=lambda one: one[0].enqueued_ms)

    @property
    def is_busy(self) -> bool:
        return self._under_way > 0

    def add(self, message: Message, now_ms: int) -> bool:
        """Whether it is new: a second one with an id that is remembered is dropped."""
        if message.id in self._ids:
            return False
        self._ids[message.id] = None
        if len(self._ids) > REMEMBERED_IDS:
            self._ids.popitem(last=False)
        key = (None, True) if message.target is not None else (message.group, False)
        group = self._groups.setdefault(key, Group(*key))
        group.waiting.append((message, now_ms))
        self.held += 1
        self.sent += 1
        return True

    def ended(self, batch: Batch, failure: Failure | None, execution_id: str | None, now_ms: int) -> list[Action]:
        """:param failure: None: it ended well"""
        if failure is None:
            self.buried(batch)
        elif batch.attempt > self.spec.retries:
            return [Bury(batch, failure, execution_id), *self.tick(now_ms)]
        else:
            self._delivered.remove(batch)
            again = replace(batch, attempt=batch.attempt + 1)
            self._pause(again, now_ms + self.spec.pause_ms(again.attempt))
        return self.tick(now_ms)

    def refused(self, batch: Batch, now_ms: int) -> list[Action]:
        """The platform could not take the invocation just now: no attempt was made."""
        self._delivered.remove(batch)
        self._pause(batch, now_ms + REFUSED_PAUSE_MS)
        return self.tick(now_ms)

    def buried(self, batch: Batch) -> None:
        """Its messages are gone."""
        self._delivered.remove(batch)
        self.held -= len(batch.messages)
        self._under_way -= 1
        batch.group.under_way -= 1
        if not batch.group.waiting and not batch.group.under_way:
            self._groups.pop((batch.group.name, batch.group.alone), None)

    def tick(self, now_ms: int) -> list[Action]:
        """What is to be delivered now."""
        actions: list[Action] = []
        while self._under_way < self.spec.concurrency and self._pausing and self._pausing[0][0] <= now_ms:
            self._under_way += 1
            actions.append(self._deliver(heapq.heappop(self._pausing)[2]))
        for key, group in list(self._groups.items()):
            while self._under_way < self.spec.concurrency and group.has_room(self.spec):
                messages = group.take(self.spec, now_ms)
                if not messages:
                    break
                self._under_way += 1
                group.under_way += 1
                self._groups.move_to_end(key)
                actions.append(self._deliver(Batch(group, messages)))
        return actions

    def _deliver(self, batch: Batch) -> Deliver:
        self._delivered.append(batch)
        return Deliver(batch)

    def next_due_ms(self) -> int | None:
        """When the next tick can make a difference; None: not before something happens."""
        if self._under_way >= self.spec.concurrency:
            return None
        due = [self._pausing[0][0]] if self._pausing else []
        waiting = [group for group in self._groups.values() if group.waiting and group.has_room(self.spec)]
        due += [at_ms for group in waiting if (at_ms := group.lingers_until_ms(self.spec)) is not None]
        return min(due, default=None)

    def _pause(self, batch: Batch, due_ms: int) -> None:
        # A batch that pauses holds its place in its group, and none in the queue.
        self._under_way -= 1
        heapq.heappush(self._pausing, (due_ms, next(self._order), batch))
