"""Executions of workflows: the engine `sand.asl`, its tasks being attempts of grains."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sand.asl import CallGrain, GrainFailed, Machine, Outcome
from sand.asl import document as documents
from sand.emulator.attempts import Attempt, Grains
from sand.emulator.executions import AT_ONCE, Ended, Execution, Published
from sand.emulator.problems import Failure, platform
from sand.messages import Payload
from sand.values import JSON


class Opaque:
    """A value that is no JSON, on its way through a workflow: paths lead past it, `$` hands it on."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload


class _Run:
    """One execution of a workflow."""

    def __init__(self, execution: Execution, grains: Grains) -> None:
        self._execution = execution
        self._grains = grains
        self._failures: list[Failure] = []
        self._events = Published(execution, grains)
        self._publishing = False
        self._threads = ThreadPoolExecutor(AT_ONCE, execution.id)

    def run(self) -> tuple[Payload | None, Failure | None, bool]:
        execution = self._execution
        workflow = execution.manifest.workflows[execution.target]
        machine = Machine(workflow.definition, application=execution.manifest.name, name=workflow.name)
        limit_s = min(workflow.timeout_ms, execution.timeout_ms) / 1000
        try:
            outcome = asyncio.run(self._drive(machine, limit_s))
        except TimeoutError:
            if execution.timeout_ms <= workflow.timeout_ms:
                execution.time_out(f"while workflow {workflow.name} ran")
                raise Ended from None
            cause = f"workflow {workflow.name} did not end within its {workflow.timeout_ms} ms"
            return None, platform("States.Timeout", cause, False), True
        finally:
            self._threads.shutdown(wait=False, cancel_futures=True)
        execution.history = [
            {"atMs": event.at_ms, "kind": event.kind, "state": event.state, "step": event.step, "detail": event.detail}
            for event in outcome.history
        ]
        if outcome.status != "SUCCEEDED":
            return None, self._failure(outcome.error, outcome.cause), outcome.status == "TIMED_OUT"
        if self._publishing and (failure := self._events.wait()):
            return None, failure, False
        return _payload(outcome.output), None, False

    async def _drive(self, machine: Machine, limit_s: float) -> Outcome:
        watching = asyncio.create_task(self._watch(asyncio.current_task()))
        try:
            async with asyncio.timeout(limit_s):
                return await machine.run_live(_value(self._execution.input), self._call, id=self._execution.id)
        except asyncio.CancelledError:
            raise Ended from None
        finally:
            watching.cancel()

    async def _watch(self, running: asyncio.Task[Any] | None) -> None:
        """A cancelled execution's machine stops."""
        while not self._execution.ended.is_set():
            await asyncio.sleep(0.02)
        if running is not None:
            running.cancel()

    async def _call(self, call: CallGrain) -> Any:
        attempt = self._execution.attempt(call.step, call.grain, _payload(call.input), call.timeout_ms or None)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._execution.run_attempt, self._grains, attempt)
        except asyncio.CancelledError:
            self._grains.cancel(attempt)
            raise
        return self._result(attempt)

    def _result(self, attempt: Attempt) -> Any:
        if attempt.failure is not None:
            self._failures.append(attempt.failure)
            timed_out = attempt.failure.error == "Sand.Timeout"
            raise GrainFailed("States.Timeout", "") if timed_out else GrainFailed(attempt.failure.error, attempt.failure.cause)
        if attempt.published:
            self._publishing = True
            if refusal := self._events.publish(attempt.step, attempt.published, True):
                raise GrainFailed(refusal.error, refusal.cause)
        assert attempt.output is not None
        return _value(attempt.output)

    def _failure(self, error: str | None, cause: str | None) -> Failure:
        """In full: a state machine hands on no more than error and cause."""
        for known in reversed(self._failures):
            if (known.error, known.cause) == (error, cause):
                return known
        if error == "States.Timeout" and self._failures and self._failures[-1].error == "Sand.Timeout":
            return self._failures[-1]
        name, words = error or "States.Fail", "the workflow gave no cause" if cause is None else cause
        return platform(name, words, False) if name.startswith("Sand.") else Failure(name, words)


def _value(payload: Payload) -> Any:
    if payload.content_type.startswith(JSON):
        return documents.parse((payload.bytes or b"null").decode("utf-8"))
    return Opaque(payload)


def _payload(value: Any) -> Payload:
    if isinstance(value, Opaque):
        return value.payload
    return Payload(JSON, documents.write(value).encode("utf-8", "replace"))


def run(execution: Execution, grains: Grains) -> tuple[Payload | None, Failure | None, bool]:
    """Output or failure of a workflow's execution, and whether its own limit passed."""
    return _Run(execution, grains).run()
