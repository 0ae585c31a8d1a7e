"""What tasks of a workflow ask of the emulator itself: to start other workflows, and to send to queues, as the host agent does.

A child is an execution of its own of the same version, whose id follows from its parent's id and the step.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from sand.asl import CallGrain, GrainFailed, failure, platform_services
from sand.asl.opaque import Opaque
from sand.asl.platform_services import Child, Mode, StartWorkflow
from sand.emulator import ids
from sand.emulator.executions import AT_ONCE, Execution
from sand.emulator.late import LATE
from sand.emulator.workflow_values import payload_of, value_of
from sand.errors import BadRequest, SandError, TooLarge
from sand.messages import EnqueueRequest
from sand.values import JSON

if TYPE_CHECKING:
    from sand.emulator.applications import Application, Version

NO_SUCH_WORKFLOW = "StepFunctions.StateMachineDoesNotExistException"
NAME_IS_TAKEN = "StepFunctions.ExecutionAlreadyExistsException"
NO_SUCH_QUEUE = "SQS.QueueDoesNotExistException"
NOT_SENT = "SQS.AmazonSQSException"
NAMES = 10_000
MOST_CHILDREN = 256


class Children:
    """Of all executions of an application: how many run, and which execution of a workflow has a name (the newest NAMES)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders: OrderedDict[tuple[str, str], Child] = OrderedDict()
        self._running = 0

    def begin(self) -> bool:
        """Whether there is room for one more; then `end` is to follow."""
        with self._lock:
            has_room = self._running < MOST_CHILDREN
            self._running += has_room
            return has_room

    def end(self) -> None:
        with self._lock:
            self._running -= 1

    def claim(self, child: Child) -> Child:
        """Who has the child's name from now on: itself, or whoever had it before."""
        if child.name is None:
            return child
        with self._lock:
            holder = self._holders.setdefault((child.workflow, child.name), child)
            while len(self._holders) > NAMES:
                self._holders.popitem(last=False)
            return holder


class WorkflowServices:
    """:param execution: the parent's"""

    def __init__(self, application: Application, version: Version, execution: Execution) -> None:
        self._application = application
        self._version = version
        self._execution = execution
        self._room = asyncio.Semaphore(AT_ONCE)

    async def call(self, call: CallGrain) -> Any:
        """The result of a call that has a service. Cancelled, it stops what it waits for. :raises GrainFailed: there is none"""
        if isinstance(call.service, StartWorkflow):
            async with self._room:
                return await self._start(call, call.service)
        assert call.service is not None
        event_id = f"{self._execution.id}/{call.service.message}"
        return send(self._application, event_id, call.grain, call.service.group, call.input)

    async def _start(self, call: CallGrain, start: StartWorkflow) -> Any:
        manifest = self._version.manifest
        if call.grain not in manifest.workflows:
            cause = f"application {manifest.name} version {self._version.number} has no workflow {call.grain}"
            raise GrainFailed(NO_SUCH_WORKFLOW, cause)
        children = self._application.children
        if not children.begin():
            words = f"workflows have started {MOST_CHILDREN} executions that run; does one start itself without an end?"
            raise GrainFailed("Sand.Overloaded", words)
        now_ms = time.time_ns() // 1_000_000
        id = ids.of_child(self._execution.id, call.step, now_ms)
        child = Child(id, manifest.name, call.grain, start.name, call.input, now_ms)
        holder = children.claim(child)
        if holder is not child:
            children.end()
            return self._taken(start, child, holder)
        ended = asyncio.Event()
        execution = self._begin(child, start.mode, ended)
        if not start.mode.awaits_end:
            return platform_services.started(child)
        try:
            await ended.wait()
        except asyncio.CancelledError:
            execution.cancel(f"execution {self._execution.id}, which waited for it, does so no more")
            raise
        return _result(start.mode, child, execution)

    def _begin(self, child: Child, mode: Mode, ended: asyncio.Event) -> Execution:
        """:param ended: is set when it has"""
        parent, loop = self._execution, asyncio.get_running_loop()
        left_ms = max(1, (parent.deadline_ns - LATE.now_ns()) // 1_000_000)
        timeout_ms = left_ms if mode.awaits_end else parent.timeout_ms

        def on_end(_: Execution) -> None:
            self._application.children.end()
            with contextlib.suppress(RuntimeError):  # the parent has ended before
                loop.call_soon_threadsafe(ended.set)

        payload = payload_of(child.input)
        start = self._application.start
        return start(self._version, child.workflow, payload, timeout_ms, parent.traceparent, on_end, child.id)

    @staticmethod
    def _taken(start: StartWorkflow, child: Child, holder: Child) -> dict[str, Any]:
        """Somebody started an execution under that name before."""
        if start.mode is Mode.START and payload_of(holder.input) == payload_of(child.input):
            return platform_services.started(holder)
        raise GrainFailed(NAME_IS_TAKEN, f"Execution Already Exists: '{holder.id}' has the name {holder.name}")


def send(application: Application, event_id: str, queue: str, group: str | None, message: Any) -> dict[str, Any]:
    """The result of a task that sends. The message's id follows from the event's: the queue takes it once."""
    try:
        payload = payload_of(message)
        id = application.triggers.enqueue(EnqueueRequest(event_id, 0, queue, payload, group))
        return platform_services.sent(id, payload.bytes if isinstance(message, Opaque) else message)
    except BadRequest as refused:
        raise GrainFailed(NO_SUCH_QUEUE, str(refused)) from None
    except TooLarge as refused:
        raise GrainFailed(NOT_SENT, str(refused).replace(" bytes ", f" bytes for queue {queue} ", 1)) from None
    except SandError as refused:
        raise GrainFailed(NOT_SENT, str(refused)) from None


def _result(mode: Mode, child: Child, ended: Execution) -> Any:
    """:raises GrainFailed: it has none"""
    stop_ms, status = ended.ended_ms or child.start_ms, ended.status
    if ended.output is not None and ended.output.content_type.startswith(JSON):
        output = value_of(ended.output)
        told = platform_services.succeeded(mode, child, output, stop_ms)
        # What tells of a value that has no inside has none either.
        return value_of(payload_of(told)) if isinstance(output, Opaque) else told
    if ended.failure is not None:
        error, cause = ended.failure.error, ended.failure.cause
    else:
        error, cause = failure.DATA_LIMIT_EXCEEDED, f"the output of execution {child.id} is no JSON, or is kept no more"
    if mode is Mode.WORKFLOW:
        raise GrainFailed(failure.TIMEOUT if error == "Sand.Timeout" else error, cause)
    shown = {"CANCELLED": "ABORTED", "SUCCEEDED": "FAILED"}.get(status, status)
    raise GrainFailed(failure.TASK_FAILED, platform_services.failed(mode, child, shown, error, cause, stop_ms))
