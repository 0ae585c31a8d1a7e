"""Executions of workflows: the engine `sand.asl`, its tasks being attempts of grains."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager
from typing import Any

from sand.asl import CallGrain, Finished, GrainFailed, Machine, Outcome
from sand.asl import failure as failures
from sand.asl.execution import Execution as Engine
from sand.asl.live import Live
from sand.asl.tokens import TaskTokens
from sand.emulator.attempts import Attempt, Grains
from sand.emulator.data import Data
from sand.emulator.executions import AT_ONCE, Callback, Ended, Ending, Execution, Publication, Published
from sand.emulator.late import LATE, LateClock
from sand.emulator.problems import Failure, platform
from sand.emulator.workflow_objects import WorkflowObjects
from sand.emulator.workflow_services import WorkflowServices
from sand.emulator.workflow_values import payload_of, text_of, value_of
from sand.messages import Payload

# What is asked of the loop is done at once, when it has not ended.
REPORT_SECONDS = 15.0


@asynccontextmanager
async def _limit(seconds: float) -> AsyncIterator[None]:
    """:raises TimeoutError: what is in it did not end within so long"""
    async with asyncio.timeout(None) as limit:
        at_ns = LATE.now_ns() + int(seconds * 1e9)

        async def end() -> None:
            await LATE.sleep_until(at_ns)
            limit.reschedule(0)

        ending = asyncio.create_task(end())
        try:
            yield
        finally:
            ending.cancel()


class _Run:
    """One execution of a workflow."""

    def __init__(
        self, execution: Execution, grains: Grains, tokens: TaskTokens, data: Data, services: WorkflowServices
    ) -> None:
        self._services = services
        self._objects = WorkflowObjects(data)
        self._execution = execution
        self._tokens = tokens
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
        if left := self._left():
            self._publishing = True
            self._events.again(left, execution.redrives)
        try:
            return self._ended(asyncio.run(self._drive(machine, limit_s)))
        except TimeoutError:
            if execution.timeout_ms <= workflow.timeout_ms:
                execution.time_out(f"while workflow {workflow.name} ran")
                raise Ended from None
            cause = f"workflow {workflow.name} did not end within its {workflow.timeout_ms} ms"
            return None, platform("States.Timeout", cause, False), True
        finally:
            execution.left = self._events.left()
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _left(self) -> list[tuple[str, Publication]]:
        """Published events that are to run again: not those whose state does."""
        execution = self._execution
        if execution.begins_from is None or execution.engine is None:
            return execution.left
        place = execution.engine.place(execution.begins_from)
        return [(step, one) for step, one in execution.left if place is not None and place.is_after(step)]

    def _ended(self, outcome: Outcome) -> tuple[Payload | None, Failure | None, bool]:
        self._execution.history = [
            {"atMs": event.at_ms, "kind": event.kind, "state": event.state, "step": event.step, "detail": event.detail}
            for event in outcome.history
        ]
        if outcome.status != "SUCCEEDED":
            timed_out = outcome.status == "TIMED_OUT"
            return None, self._failure(outcome.error, outcome.cause, of_task=not timed_out), timed_out
        if self._publishing and (failure := self._events.wait()):
            return None, failure, False
        return payload_of(outcome.output), None, False

    async def _drive(self, machine: Machine, limit_s: float) -> Outcome:
        watching = asyncio.create_task(self._watch(asyncio.current_task()))
        execution, before = self._execution, self._execution.before
        try:
            async with _limit(limit_s):
                if before is not None and execution.engine is not None:
                    return await self._redrive(execution.engine, before)
                return await machine.run_live(
                    value_of(self._execution.input),
                    self._call,
                    id=self._execution.id,
                    clock=LateClock(),
                    tokens=self._tokens,
                    began=self._began,
                    objects=self._objects,
                    log=self._execution.log,
                    input_text=text_of(self._execution.input),
                )
        except asyncio.CancelledError:
            raise Ended from None
        finally:
            watching.cancel()

    async def _redrive(self, engine: Engine, before: Ending) -> Outcome:
        from_, end = self._execution.begins_from, engine.finished
        if from_ is None and end is not None and end.status == "SUCCEEDED":  # events that it had published did not
            return Outcome(end.status, end.output, None, None, 0, [], engine.history)
        live = Live(engine, self._call, LateClock(), self._objects)
        self._began(live)
        error, cause = (before.failure.error, before.failure.cause) if before.failure else (None, None)
        return await live.redrive(Finished(before.status, None, error, cause), before.at_ms, from_)

    def _began(self, live: Live) -> None:
        """From now on, other threads may report on callbacks."""
        self._execution.engine = live.execution
        loop = asyncio.get_running_loop()

        def call_back(step: str, report: Callback) -> bool:
            if self._execution.status != "RUNNING":
                return False
            answer: Future[bool] = Future()

            def report_now() -> None:
                try:
                    answer.set_result(report(live, step))
                except Exception as broken:  # whoever reports is told, not the loop
                    answer.set_exception(broken)

            try:
                loop.call_soon_threadsafe(report_now)
            except RuntimeError:  # the loop is closed: the execution has ended
                return False
            return answer in wait([answer], REPORT_SECONDS).done and answer.result()

        self._execution.call_back = call_back
        self._execution.awaited = lambda: [waits.token for waits in list(live.awaited.values())]

    async def _watch(self, running: asyncio.Task[Any] | None) -> None:
        """A cancelled execution's machine stops."""
        while not self._execution.ended.is_set():
            await asyncio.sleep(0.02)
        if running is not None:
            running.cancel()

    async def _call(self, call: CallGrain) -> Any:
        if call.service is not None:
            return await self._services.call(call)
        attempt = self._execution.attempt(call.step, call.grain, payload_of(call.input), call.timeout_ms or None)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._execution.run_attempt, self._grains, attempt)
        except asyncio.CancelledError:
            if attempt.failure is None and attempt.deadline_ns <= LATE.now_ns():
                attempt.timed_out()  # the engine's clock was a moment before the attempt's
                self._failures.append(attempt.failure)
            self._grains.cancel(attempt)
            raise
        return self._result(attempt)

    def _result(self, attempt: Attempt) -> Any:
        if attempt.failure is not None:
            self._failures.append(attempt.failure)
            if attempt.failure.error == "Sand.Timeout":
                raise GrainFailed(failures.TIMEOUT)
            raise GrainFailed(attempt.failure.error, attempt.failure.cause)
        if attempt.published:
            self._publishing = True
            if refusal := self._events.publish(attempt.step, attempt.published, True):
                raise GrainFailed(refusal.error, refusal.cause)
        assert attempt.output is not None
        return value_of(attempt.output)

    def _failure(self, error: str | None, cause: str | None, of_task: bool) -> Failure:
        """In full: a state machine hands on no more than error and cause, and of a task's time-out no cause."""
        for known in reversed(self._failures):
            if (known.error, known.cause) == (error, cause):
                return known
            if of_task and not cause and error == failures.TIMEOUT and known.error == "Sand.Timeout":
                return Failure(failures.TIMEOUT, known.cause)
        name, words = error or "States.Fail", "the workflow gave no cause" if cause is None else cause
        return platform(name, words, False) if name.startswith("Sand.") else Failure(name, words)


def run(
    execution: Execution, grains: Grains, tokens: TaskTokens, data: Data, services: WorkflowServices
) -> tuple[Payload | None, Failure | None, bool]:
    """Output or failure of a workflow's execution, and whether its own limit passed."""
    return _Run(execution, grains, tokens, data, services).run()
