"""A cloud process as its owner has it, and the steps of its life (PraaS, Fig. 5). Under the lock of processes.py.

create                        ─▶ active
active  ─ rest      ─▶ idle       no function has run or waited in it for `idle`
idle    ─ run       ─▶ active     a function does
active, idle ─ swap out ─▶ swapped   when its functions have ended: no other begins before it is done
swapped ─ swap in   ─▶ active     it is addressed, created again, or somebody asks for it
active, idle ─ checkpoint ─▶ the same
any     ─ kill      ─▶ killed     nothing of it is kept
"""

from __future__ import annotations

import os
import pickle
import time
from collections import OrderedDict, deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sand.emulator.processes_mailbox import Mailbox, Message
from sand.messages import Payload

if TYPE_CHECKING:
    from sand.emulator.executions import Execution
    from sand.emulator.processes_specs import Dedicated
    from sand.emulator.processes_stay import Receiver, View

ACTIVE, IDLE, SWAPPED, KILLED = "active", "idle", "swapped", "killed"
STEPS = {
    "rest": {ACTIVE: IDLE},
    "run": {ACTIVE: ACTIVE, IDLE: ACTIVE},
    "swap out": {ACTIVE: SWAPPED, IDLE: SWAPPED},
    "swap in": {SWAPPED: ACTIVE},
    "create": {SWAPPED: ACTIVE},
    "checkpoint": {ACTIVE: ACTIVE, IDLE: IDLE},
    "kill": {ACTIVE: KILLED, IDLE: KILLED, SWAPPED: KILLED},
}
# Senders whose numbers a mailbox remembers: a repetition comes while its sender runs, or is run again.
SENDERS = 10_000


_IN_WORDS = {"swap out": "be swapped out", "swap in": "be swapped in", "create": "be made", "checkpoint": "be checkpointed"}


class IllegalStep(Exception):
    """The life cycle does not have it, or :param why: not now."""

    def __init__(self, process: CloudProcess, step: str, why: str = "") -> None:
        self.status = process.status
        within = f" of application {process.application}" if process.application else ""
        said = f"Process {process.id}{within} is {process.status}: it cannot {_IN_WORDS.get(step, step)}"
        super().__init__(said + (f", for {why}." if why else "."))


@dataclass(frozen=True)
class Contents:
    """:param messages: unread ones in order of arrival, each with whether a function that runs has received it"""

    state: dict[str, Payload]
    messages: list[tuple[Message, bool]]


class CloudProcess:
    """:param file: where it is while it is swapped
    :param concurrency: of its own, as :param memory:; None: sand.yaml's
    """

    def __init__(
        self, id: str, file: Path, concurrency: int | None = None, memory: int | None = None, application: str = ""
    ) -> None:
        self.id = id
        self.application = application
        self.status = ACTIVE
        self.concurrency = concurrency
        self.memory = memory
        self.dedicated: Dedicated | None = None
        self.created_ms = time.time_ns() // 1_000_000
        self.state: dict[str, Payload] = {}
        self.mailbox = Mailbox()
        self.taken: OrderedDict[str, set[int]] = OrderedDict()
        """Which of each sender's numbers have come."""
        self.inside: set[Execution] = set()
        self.waiting: deque[Execution] = deque()
        self.senders: deque[object] = deque()
        """Who waits for room, in the order in which they came."""
        self.receivers: list[Receiver] = []
        self.views: dict[str, View] = {}
        """Large values of its state as its functions share them."""
        self.draining = False
        self.touched_ns = time.monotonic_ns()
        """When a function last began or ended, or it became active or idle."""
        self.due_ns: int | None = None
        """When a trigger's time-out passes."""
        self.counts = dict.fromkeys(
            ("invocations", "failures", "busyMs", "sent", "received", "swapsOut", "swapsIn", "checkpoints"), 0
        )
        self._state_bytes = 0
        self._keys = 0
        """How many it has, while it is swapped."""
        self._file = file

    def step(self, name: str) -> bool:
        """Whether its status is another now. :raises IllegalStep:"""
        after = STEPS[name].get(self.status)
        if after is None:
            raise IllegalStep(self, name)
        changed, self.status = after != self.status, after
        self.touched_ns = time.monotonic_ns()
        return changed

    @property
    def is_here(self) -> bool:
        return self.status in (ACTIVE, IDLE)

    # --- state

    @property
    def keys(self) -> int:
        return self._keys if self.status == SWAPPED else len(self.state)

    @property
    def state_bytes(self) -> int:
        return self._state_bytes

    def bytes_after(self, writes: dict[str, Payload | None]) -> int:
        return self._state_bytes + sum(_size(key, value) - _size(key, self.state.get(key)) for key, value in writes.items())

    def apply(self, writes: dict[str, Payload | None]) -> None:
        self._state_bytes = self.bytes_after(writes)
        for key, value in writes.items():
            if value is None:
                self.state.pop(key, None)
            else:
                self.state[key] = value

    # --- senders

    def has_taken(self, sender: str, number: int) -> bool:
        return number in self.taken.get(sender, ())

    def take(self, sender: str, number: int) -> None:
        self.taken.setdefault(sender, set()).add(number)
        self.taken.move_to_end(sender)
        if len(self.taken) > SENDERS:
            self.taken.popitem(last=False)

    def drop(self, sender: str, number: int) -> None:
        """It has not come after all."""
        self.taken.get(sender, set()).discard(number)

    # --- swapping

    def write(self) -> None:
        """To its file, whole or not at all."""
        mine = (self.state, self._state_bytes, self.mailbox, self.taken)
        temporary = self._file.with_suffix(".new")
        temporary.write_bytes(pickle.dumps(mine, pickle.HIGHEST_PROTOCOL))
        os.replace(temporary, self._file)

    def forget(self) -> None:
        """What write has written is here no more; room that others have reserved stays reserved."""
        self._keys = len(self.state)
        away, self.state, self.taken = self.mailbox, {}, OrderedDict()
        self.mailbox = Mailbox()
        self.mailbox.messages, self.mailbox.bytes = away.messages, away.bytes

    def read(self) -> None:
        reserved = self.mailbox
        self.state, self._state_bytes, self.mailbox, self.taken = pickle.loads(self._file.read_bytes())
        self.mailbox.messages, self.mailbox.bytes = reserved.messages, reserved.bytes

    def remove(self) -> None:
        self._file.unlink(missing_ok=True)
        self.state, self.mailbox, self._state_bytes = {}, Mailbox(), 0

    # --- what is told of it

    def contents(self) -> Contents:
        """Of one that is swapped out too, which stays so."""
        if self.status == SWAPPED:
            state, _, mailbox, _ = pickle.loads(self._file.read_bytes())
            return Contents(state, [(one, False) for one in mailbox.unread()])
        borrowed = [(one, True) for one in self.mailbox.borrowed]
        unread = [(one, False) for one in self.mailbox.unread()]
        return Contents(dict(self.state), sorted(borrowed + unread, key=lambda one: one[0].order))

    def unread(self) -> list[Message]:
        return self.mailbox.unread()

    def residence(self) -> dict[str, int]:
        """All of a state is in the emulator's memory, but for what is swapped out."""
        resident = self._state_bytes if self.is_here else 0
        return {"residentBytes": resident, "overflowBytes": self._state_bytes - resident}

    def metrics(self) -> dict[str, Any]:
        return {
            "process": self.id, "status": self.status, "stateBytes": self._state_bytes, **self.residence(),
            "unread": self.mailbox.messages, "mailboxBytes": self.mailbox.bytes,
            "running": len(self.inside), "waiting": len(self.waiting), **self.counts,
        }  # fmt: skip


def _size(key: str, value: Payload | None) -> int:
    return 0 if value is None else len(key.encode("utf-8", "replace")) + len(value.bytes or b"")
