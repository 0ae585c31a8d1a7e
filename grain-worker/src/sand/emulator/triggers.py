"""An application's queues and triggers: one thread that delivers, fires and tells, or a test that says when (`drain`, `fire`).

What goes when is decided in queue_run.py; here its deliveries become executions, and their ends come back. Everything is in
memory: what waits is gone with the emulator.
"""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sand.emulator import ids
from sand.emulator.problems import Failure, Problem
from sand.emulator.queue_run import Batch, Bury, Message, QueueRun
from sand.emulator.trigger_events import DeadLetter, batch_event, change_event, fire_event, group_refusal, letter_event
from sand.emulator.trigger_specs import GROUP_CHARS, MESSAGE_BYTES, QueueSpec, TriggerSpec
from sand.errors import BadRequest, BusRefusal, TooLarge
from sand.messages import EnqueueRequest, Payload

if TYPE_CHECKING:
    from sand.emulator.applications import Application
    from sand.emulator.executions import Execution
    from sand.emulator.manifest import Manifest

# Of an execution that the platform could not take just now: no attempt was made.
REFUSALS = ("Sand.Overloaded", "Sand.Unavailable")
LONGEST_SLEEP_S = 1.0


@dataclass
class Armed:
    """:param since_ms: when it was armed, :param fired_ms: the last time that it fired for, 0 for none"""

    text: str
    armed: bool
    since_ms: int
    fired_ms: int = 0


class QueueFull(Exception):
    """As many messages wait as the queue's depth allows."""


class Triggers:
    """:param is_manual: nothing happens by itself, and pauses cost nothing: `drain` does all that is due"""

    def __init__(self, application: Application, is_manual: bool = False) -> None:
        self._application = application
        self._is_manual = is_manual
        self._changed = threading.Condition(threading.RLock())
        self._runs: dict[str, QueueRun] = {}
        self._armed: dict[str, Armed] = {}
        self._letters: dict[str, dict[str, DeadLetter]] = {}
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._skipped_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._skipped_ms

    # --- what there is

    def deployed(self) -> None:
        """There is another version, or another one is live."""
        with self._changed:
            live = self._live()
            if live is None or not (live.queues or live.triggers):
                return
            for name, spec in live.all_queues().items():
                self._run(name, spec).spec = spec
            for trigger in live.triggers.values():
                self.armed(trigger)
            if not self._is_manual and self._thread is None:
                self._thread = threading.Thread(target=self._loop, daemon=True, name=f"triggers-{self._application.name}")
                self._thread.start()
            self._changed.notify_all()

    def _live(self) -> Manifest | None:
        try:
            return self._application.version("live").manifest
        except Problem:
            return None

    def _run(self, name: str, spec: QueueSpec) -> QueueRun:
        return self._runs.setdefault(name, QueueRun(spec))

    def waiting(self, queue: str) -> int:
        """Messages that are not worked off yet."""
        with self._changed:
            return self._runs[queue].held if queue in self._runs else 0

    def level(self, queue: str) -> dict[str, int]:
        """How many messages wait and for how long, and how many have ever come, as the interface shows it."""
        with self._changed:
            run = self._runs.get(queue)
            if run is None:
                return {"waiting": 0, "sent": 0}
            oldest = next((message.enqueued_ms for message, _ in run.messages()), None)
            age = {} if oldest is None else {"oldestMs": max(0, self.now_ms() - oldest)}
            return {"waiting": run.held, "sent": run.sent, **age}

    def messages(self, queue: str) -> list[tuple[Message, int]]:
        """Those, each with how many attempts have failed."""
        with self._changed:
            return self._runs[queue].messages() if queue in self._runs else []

    def armed(self, trigger: TriggerSpec) -> Armed:
        """What is known of a trigger; a changed schedule begins anew, armed or not as it was."""
        text = trigger.schedule.text() if trigger.schedule else trigger.prefix or ""
        with self._changed:
            known = self._armed.get(trigger.name)
            if known is None:
                known = self._armed[trigger.name] = Armed(text, trigger.armed, self.now_ms())
            elif known.text != text:
                known = self._armed[trigger.name] = Armed(text, known.armed, self.now_ms())
            return known

    def arm(self, trigger: TriggerSpec, armed: bool) -> None:
        with self._changed:
            known = self.armed(trigger)
            if known.armed != armed:
                known.armed, known.since_ms = armed, self.now_ms()
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    # --- messages

    def send(self, spec: QueueSpec, group: str | None, payload: Payload, id: str | None = None) -> str:
        """Its id. :raises QueueFull: with a sentence"""
        with self._changed:
            run = self._run(spec.name, spec)
            if run.held >= spec.depth:
                name = self._application.name
                raise QueueFull(
                    f"queue {spec.name} of {name} has {spec.depth} messages waiting where this one would go, as many as its "
                    "depth allows; come back later"
                )
            message = Message(id or ids.new(), group, payload, self.now_ms())
            self._append(run, message)
            return message.id

    def _append(self, run: QueueRun, message: Message) -> None:
        """Whatever waits there: also for messages that follow from messages."""
        run.add(message, self.now_ms())
        self._changed.notify_all()

    def enqueue(self, request: EnqueueRequest) -> str:
        """What a grain sends; the same message of a further attempt is sent once. :raises SandError: as the handler gets it"""
        live = self._live()
        spec = live.queues.get(request.queue) if live else None
        if live is None or spec is None:
            there = "" if live is None else f"; it has [{', '.join(sorted(live.queues))}]"
            raise BadRequest(f"application {self._application.name} has no queue {request.queue}{there}")
        if refusal := group_refusal(request.group):
            raise BadRequest(refusal)
        size = len(request.payload.bytes or b"")
        if size > MESSAGE_BYTES:
            words = "put the value into shared data and send its key"
            raise TooLarge(f"a message of {size} bytes is over the limit of {MESSAGE_BYTES}; {words}")
        drawn = hashlib.sha256(f"{request.event_id}#{request.number}".encode()).digest()
        try:
            return self.send(spec, request.group, request.payload, ids.derived(request.event_id, drawn))
        except QueueFull as full:
            raise BusRefusal("Sand.Overloaded", str(full)) from None

    def data_changed(self, key: str, operation: str, version: int) -> None:
        """A shared value was written or deleted. :param version: 0: it has none that would be told"""
        live = self._live()
        for trigger in live.triggers.values() if live else ():
            if trigger.watches(key, operation) and self.armed(trigger).armed:
                message = Message(ids.new(), key[:GROUP_CHARS], change_event(key, operation, version), self.now_ms())
                with self._changed:
                    self._append(self._run(trigger.name, trigger.queue), message)

    def fire(self, trigger: TriggerSpec, time_ms: int) -> None:
        """A schedule's message, for a time: once."""
        message = Message(f"{trigger.name}-{time_ms}", trigger.name, fire_event(trigger, time_ms), time_ms)
        with self._changed:
            self.armed(trigger).fired_ms = time_ms
            self._append(self._run(trigger.name, trigger.queue), message)

    # --- dead letters

    def letters(self, queue: str) -> list[DeadLetter]:
        """In order of their ids."""
        with self._changed:
            return [letter for _, letter in sorted(self._letters.get(queue, {}).items())]

    def forget(self, letter: DeadLetter) -> bool:
        with self._changed:
            return self._letters.get(letter.queue, {}).pop(letter.message.id, None) is not None

    def replay(self, spec: QueueSpec, letter: DeadLetter) -> None:
        """As a new message, which the queue does not take for the old one. :raises QueueFull: it stays a dead letter"""
        id = f"{letter.message.id.split('.replay-')[0]}.replay-{ids.new()}"
        self.send(spec, letter.message.group, letter.message.payload, id)
        self.forget(letter)

    # --- what happens by itself

    def _loop(self) -> None:
        with self._changed:
            while not self._is_closed:
                due_ms = self._step()
                left = LONGEST_SLEEP_S if due_ms is None else max(0.0, (due_ms - self.now_ms()) / 1000)
                self._changed.wait(min(left, LONGEST_SLEEP_S))

    def drain(self, seconds: float = 60.0) -> None:
        """Until all queues are empty; what is to wait for its time does not. :raises AssertionError: they are not, so soon"""
        until = time.monotonic() + seconds
        with self._changed:
            while True:
                due_ms = self._step(fires=False)
                if any(run.is_busy for run in self._runs.values()):
                    left = until - time.monotonic()
                    assert left > 0 and self._changed.wait(left), f"queues are not worked off within {seconds} s"
                elif due_ms is None:
                    return
                else:
                    self._skipped_ms += max(0, due_ms - self.now_ms())

    def _step(self, fires: bool = True) -> int | None:
        """Does what is due, and says when something will be."""
        live, due = self._live(), []
        if live is None:
            return None
        if fires:
            due = [at for trigger in live.triggers.values() if (at := self._fire_what_is_due(trigger)) is not None]
        for name in live.all_queues():
            run = self._runs.get(name)
            if run is not None:
                self._perform(run, run.tick(self.now_ms()))
                due += [at for at in (run.next_due_ms(),) if at is not None]
        return min(due, default=None)

    def _fire_what_is_due(self, trigger: TriggerSpec) -> int | None:
        state, now_ms = self.armed(trigger), self.now_ms()
        if trigger.schedule is None or not state.armed:
            return None
        due = trigger.schedule.last(state.since_ms, state.fired_ms, now_ms)
        if due is not None:
            if now_ms - due <= max(5_000, trigger.catch_up_ms):
                self.fire(trigger, due)
            state.fired_ms = due
        return trigger.schedule.next(state.since_ms, now_ms)

    # --- deliveries

    def _perform(self, run: QueueRun, actions: list[Any]) -> None:
        for action in actions:
            if isinstance(action, Bury):
                self._bury(run, action)
            else:
                self._deliver(run, action.batch)

    def _deliver(self, run: QueueRun, batch: Batch) -> None:
        own = batch.messages[0].target
        target = own or run.spec.target
        try:
            version = self._application.version("live")
            payload = batch.messages[0].payload if own or run.spec.batch == 1 else batch_event(batch)
            self._application.start(
                version, target, payload, run.spec.timeout_ms, on_end=lambda execution: self._on_end(run, batch, execution)
            )
        except Problem as problem:
            gone = Failure("Sand.NotFound", problem.detail, "caller")
            self._perform(run, run.ended(batch, gone, None, self.now_ms()))

    def _on_end(self, run: QueueRun, batch: Batch, execution: Execution) -> None:
        failure = execution.failure
        with self._changed:
            if failure is not None and failure.retryable and failure.error in REFUSALS:
                actions = run.refused(batch, self.now_ms())
            else:
                actions = run.ended(batch, failure, execution.id, self.now_ms())
            if not self._is_closed:
                self._perform(run, actions)
            self._changed.notify_all()

    def _bury(self, run: QueueRun, bury: Bury) -> None:
        for message in bury.batch.messages:
            letter = DeadLetter(message, run.spec.name, self.now_ms(), bury.batch.attempt, bury.failure, bury.execution_id)
            self._letters.setdefault(run.spec.name, {})[message.id] = letter
            if run.spec.on_failure is not None and message.failed is None:
                told = letter_event(letter)
                self._append(run, Message(f"{message.id}.failed", None, told, self.now_ms(), run.spec.on_failure, message.id))
        run.buried(bury.batch)
        self._perform(run, run.tick(self.now_ms()))
