"""An execution in a cloud process, and what its attempts do there (PraaS, Listing 1): the calls of `context.process`.

An attempt's writes and receipts, and the sends of an atomic function, are kept in its Stay until it has ended: they take effect
together, or the writes and sends are gone and the messages back in their places.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from sand.emulator import ids, processes_record
from sand.emulator.attempts import Attempt
from sand.emulator.problems import Failure
from sand.emulator.processes_bounds import OverSize, bounds_of
from sand.emulator.processes_mailbox import INVOKES
from sand.errors import BadRequest, Denied, NotFound, Overloaded, SandError, TooLarge, Unavailable
from sand.messages import (
    DataReference,
    Message,
    Payload,
    ProcessInvoked,
    ProcessInvokeRequest,
    ProcessList,
    ProcessListRequest,
    ProcessResult,
    ProcessResultRequest,
    ReceiveReply,
    ReceiveRequest,
    SendRequest,
    StateGetRequest,
    StateKeysRequest,
    StateValue,
    StateWrite,
    StateWriteRequest,
)
from sand.values import INLINE_BYTES

if TYPE_CHECKING:
    from sand.emulator.executions import Execution
    from sand.emulator.processes import Processes
    from sand.emulator.processes_life import CloudProcess
    from sand.emulator.processes_mailbox import Message as Received

CALLS = ("stateGet", "stateKeys", "stateWrite", "send", "receive", "processInvoke", "processResult", "processList")
LISTED = 1000


class Receiver:
    """One that waits for a message; None: any source, or key."""

    def __init__(self, source: str | None, key: str | None) -> None:
        self.source = source
        self.key = key
        self.message: Received | None = None


class View(NamedTuple):
    """A large value of a state as shared memory. :param owner: of that"""

    payload: Payload
    segment: str
    owner: str


class Kept(NamedTuple):
    """A send of an atomic function: its room is reserved."""

    process: CloudProcess
    key: str
    payload: Payload
    number: int


class Residence:
    """:param key: of an invocation by message"""

    def __init__(self, processes: Processes, process: CloudProcess, key: str | None) -> None:
        self._processes = processes
        self.process = process
        # As an event names it: an id has no slash.
        self.name = process.id if key is None else f"{process.id}/{key}"

    def enter(self, execution: Execution) -> bool:
        """When its turn comes; False: it has ended before."""
        return self._processes.enter(execution, self.process)

    def leave(self, execution: Execution) -> None:
        self._processes.leave(execution, self.process)

    def stay(self, attempt: Attempt) -> Stay:
        return Stay(self._processes, self.process, attempt)

    def wake(self) -> None:
        self._processes.wake()


def stay_of(attempt: Attempt | None) -> Stay:
    if attempt is None or attempt.stay is None:
        raise BadRequest("the function runs in no process")
    return attempt.stay


class Stay:
    def __init__(self, processes: Processes, process: CloudProcess, attempt: Attempt) -> None:
        self._table = processes
        self._process = process
        self._attempt = attempt
        self._writes: dict[str, Payload | None] = {}
        self._written_bytes = 0
        """Of all writes in the record of its end, those that later ones replace too."""
        self._borrowed: list[Received] = []
        self._kept: list[Kept] = []
        self._kept_bytes = 0
        """Of those in that record."""
        self._over = False

    # --- how it ends

    def commit(self, writes: tuple[StateWrite, ...]) -> Failure | None:
        """It ended well. Why that cannot be, or None."""
        with self._table.changed:
            try:
                self._begin(writes)
            except SandError as refused:
                self.roll_back(for_good=True)
                return Failure(refused.error, str(refused), details=bounds_of(refused))
            self._over = True
            if self._process.is_here:
                self._process.apply(self._writes)
                for message in self._borrowed:
                    self._process.mailbox.settle(message)
                self._process.counts["received"] += len(self._borrowed)
            for kept in self._kept:
                if kept.process.status != "killed":
                    self._table.deliver(self._process, kept.process, kept.key, kept.payload)
            self._table.changed.notify_all()
        return None

    def roll_back(self, for_good: bool = False) -> None:
        """It did not, or was lost and begins anew."""
        with self._table.changed:
            self._over = self._over or for_good
            self._writes, self._written_bytes = {}, 0
            borrowed, self._borrowed = self._borrowed, []
            if self._process.is_here:
                for message in borrowed:
                    self._process.mailbox.give_back(message)
                self._table.match(self._process)
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            for one in kept:
                one.process.mailbox.release(len(one.payload.bytes or b""))
                one.process.drop(self._attempt.event_id, one.number)
            self._table.changed.notify_all()

    # --- what it asks for

    def call(self, method: str, request: Any) -> Any:
        """What the call answers. :raises SandError: as the function gets it"""
        if (request.event_id, request.attempt) != (self._attempt.event_id, self._attempt.number):
            raise Denied(f"attempt {request.attempt} of event {request.event_id} has ended")
        with self._table.changed:
            self._check()
            match method:
                case "stateGet":
                    return self._get(request)
                case "stateKeys":
                    return self._keys(request)
                case "stateWrite":
                    return self._write(request)
                case "send":
                    return self._send(request)
                case "receive":
                    return self._receive(request)
                case "processInvoke":
                    return self._invoke(request)
                case "processResult":
                    return self._result(request)
                case "processList":
                    return self._list(request)
        raise BadRequest(f"there is no call {method}")

    def _check(self) -> None:
        if self._process.status == "killed":
            raise NotFound(f"process {self._process.id} was killed")
        if self._over or self._attempt.cancelled:
            raise Unavailable(f"the attempt in process {self._process.id} has ended")

    def _wait(self, until_ns: int) -> bool:
        """For the next change; False: the time is over. :raises SandError: the attempt is"""
        self._check()
        left = until_ns - time.monotonic_ns()
        if left <= 0:
            return False
        self._table.changed.wait(left / 1e9)
        self._check()
        return True

    def _get(self, request: StateGetRequest) -> StateValue:
        key = request.key
        if key in self._writes:
            value = self._writes[key]
            return StateValue(value and self._travelling(value))
        value = self._process.state.get(key)
        return StateValue(value and self._shared(key, value))

    def _shared(self, key: str, value: Payload) -> Payload:
        """All who read it map the same memory."""
        if len(value.bytes or b"") <= INLINE_BYTES:
            return value
        segments, view = self._table.segments, self._process.views.get(key)
        if view is None or view.payload is not value:
            if view is not None:
                segments.release(view.owner)
            owner = f"{self._process.id}@{time.monotonic_ns()}"
            view = View(value, segments.store(owner, (value.bytes,), len(value.bytes or b"")), owner)
            self._process.views[key] = view
        name = segments.lend(view.segment, self._attempt.execution_id)
        return Payload(value.content_type, None, DataReference(name, len(value.bytes or b"")))

    def _keys(self, request: StateKeysRequest) -> tuple[str, ...]:
        gone = {key for key, value in self._writes.items() if value is None}
        keys = sorted({*self._process.state, *self._writes} - gone, key=_bytes)
        if request.after is not None:
            keys = [key for key in keys if _bytes(key) > _bytes(request.after)]
        return tuple(keys[: min(max(request.limit, 1), LISTED)])

    def _write(self, request: StateWriteRequest) -> None:
        self._begin(self._table.segments.inline_writes(request.writes))

    def _begin(self, more: tuple[StateWrite, ...]) -> None:
        """Writes that count when it ends well. :raises TooLarge: none of them does"""
        writes = self._writes | dict(more)
        written_bytes = self._written_bytes + processes_record.of_writes(more)
        self._bounded(writes, written_bytes)
        self._writes, self._written_bytes = writes, written_bytes

    def _bounded(self, writes: dict[str, Payload | None], written_bytes: int) -> None:
        process, memory = self._process, self._table.memory(self._process)
        if written_bytes > (most := processes_record.MOST):
            has = f"process {process.id} has a limit of {most} bytes of the record of what one function writes"
            raise OverSize(f"{has}, and {self._attempt.event_id} would make it {written_bytes}", most, written_bytes)
        for key, value in writes.items():
            size = 0 if value is None else len(_bytes(key)) + len(value.bytes or b"")
            if size > memory:
                has = f"process {process.id} has a limit of {memory} bytes of memory"
                fits = f"{has}, and a value of its state has to fit into that with its key"
                raise OverSize(f"{fits}: {self._attempt.event_id} wrote one of {size}", memory, size)
        limit = self._table.spec().most_state(memory)
        after = process.bytes_after(writes) if process.is_here else 0
        if after > limit and after > process.state_bytes:
            has = f"process {process.id} has a limit of {limit} bytes of state"
            raise OverSize(f"{has}, and {self._attempt.event_id} would make it {after}", limit, after)

    def _send(self, request: SendRequest) -> None:
        payload, until = self._table.segments.inline(request.payload), _until(request.wait_ms)
        size, sender = len(payload.bytes or b""), self._attempt.event_id
        self._invoked(request.key)
        atomic = self._table.function(self._attempt.grain).atomic
        record_bytes = self._record_bytes(request, payload) if atomic else 0
        spec = self._table.spec()
        to = self._table.address(request.destination)
        if to.has_taken(sender, request.number):
            return
        if size > spec.bytes:
            has = f"process {to.id} has a mailbox of {spec.bytes} bytes"
            raise TooLarge(f"{has}, and this message alone has {size}")
        ticket = object()
        to.senders.append(ticket)
        try:
            while to.senders[0] is not ticket or not to.mailbox.has_room(size, spec.messages, spec.bytes):
                if not self._wait(until):
                    raise Overloaded(to.mailbox.refusal(to.id, size, spec.messages, spec.bytes))
                if to.status == "killed":
                    raise NotFound(f"process {to.id} was killed")
        finally:
            to.senders.remove(ticket)
            self._table.changed.notify_all()
        self._table.address(to.id)
        to.mailbox.reserve(size)
        to.take(sender, request.number)
        if atomic:
            self._kept.append(Kept(to, request.key, payload, request.number))
            self._kept_bytes += record_bytes
        else:
            self._table.deliver(self._process, to, request.key, payload)

    def _record_bytes(self, request: SendRequest, payload: Payload) -> int:
        """Of one that counts at the end. :raises TooLarge: with those before it they are too many"""
        size, most = processes_record.of_send(request.destination, request.key, payload), processes_record.MOST
        if self._kept_bytes + size > most:
            has = f"an atomic function has a limit of {most} bytes of messages that go into the record of its end"
            raise TooLarge(f"{has}, and {self._attempt.event_id} would make it {self._kept_bytes + size}")
        return size

    def _invoked(self, key: str) -> None:
        """:raises SandError: it is that of a message that invokes a function, and cannot"""
        if not key.startswith(INVOKES):
            return
        function, is_whole, _ = key[len(INVOKES) :].partition(":")
        if not is_whole or not function:
            raise BadRequest(f"a message that invokes is named invoke:<function>:<key>, not {key}")
        self._grain(function)

    def _grain(self, name: str) -> None:
        if name not in self._table.grains():
            raise self._table.no_grain(name)

    def _receive(self, request: ReceiveRequest) -> ReceiveReply:
        process, until = self._process, _until(request.wait_ms)
        receiver = Receiver(request.source, request.key)
        process.receivers.append(receiver)
        try:
            self._table.match(process)
            while receiver.message is None:
                if not self._wait(until):
                    return ReceiveReply()
        except SandError:
            if receiver.message is not None and process.is_here:
                process.mailbox.give_back(receiver.message)
                self._table.match(process)
            raise
        finally:
            if receiver in process.receivers:
                process.receivers.remove(receiver)
        found = receiver.message
        self._borrowed.append(found)
        return ReceiveReply(Message(found.source, found.key, self._travelling(found.payload)))

    def _invoke(self, request: ProcessInvokeRequest) -> ProcessInvoked:
        self._grain(request.grain)
        drawn = hashlib.sha256(f"{self._attempt.event_id}#{request.number}".encode("utf-8", "replace")).digest()
        id = ids.derived(self._attempt.event_id, drawn)
        if self._table.execution(id) is None:
            payload = self._table.segments.inline(request.payload)
            process = self._table.address(request.destination)
            self._table.invoke(process, request.grain, payload, traceparent=self._attempt.traceparent, id=id)
        return ProcessInvoked(id)

    def _result(self, request: ProcessResultRequest) -> ProcessResult:
        until = _until(request.wait_ms)
        execution = self._table.execution(request.invocation)
        if execution is None or execution.residence is None:
            raise NotFound(f"no process has an invocation {request.invocation} (any more)")
        while not execution.ended.is_set():
            if not self._wait(until):
                return ProcessResult()
        if execution.output is not None:
            return ProcessResult(self._travelling(execution.output))
        failure = execution.failure
        return ProcessResult(None, failure.error, failure.cause) if failure else ProcessResult()

    def _list(self, request: ProcessListRequest) -> ProcessList:
        until = _until(request.wait_ms)
        while request.newer_than is not None and self._table.version <= request.newer_than:
            if not self._wait(until):
                break
        return ProcessList(self._table.version, tuple(self._table.entries()))

    def _travelling(self, payload: Payload) -> Payload:
        return self._table.segments.travelling(payload, self._attempt.execution_id)


def _until(wait_ms: int) -> int:
    return time.monotonic_ns() + max(0, wait_ms) * 1_000_000


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "replace")
