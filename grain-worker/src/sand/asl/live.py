"""Drives one execution with real grains, in an event loop: calls run side by side, timers are the clock's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from sand.asl import document, failure
from sand.asl.clock import Clock, RealClock
from sand.asl.execution import Execution
from sand.asl.failure import GrainFailed
from sand.asl.messages import CallGrain, Cancel, Command, Continue, StartTimer
from sand.asl.outcome import Outcome

if TYPE_CHECKING:
    from sand.asl.machine import Machine

Call = Callable[[CallGrain], Awaitable[Any]]


class Live:
    """One execution in the running event loop. `execution.history` may be read while it runs."""

    def __init__(self, execution: Execution, call: Call, clock: Clock) -> None:
        self.execution = execution
        self.calls: list[CallGrain] = []
        self._call_grain = call
        self._clock = clock
        self._open: dict[int, asyncio.Task[None]] = {}
        self._ended = asyncio.Event()

    async def run(self, input: Any) -> Outcome:
        """Cancelling it cancels every call."""
        try:
            self._carry_out(self.execution.start(input))
            await self._ended.wait()
        finally:
            for task in self._open.values():
                task.cancel()
        end = self.execution.finished
        assert end is not None
        elapsed_ms = self._clock.now_ms() - self.execution.start_ms
        return Outcome(end.status, end.output, end.error, end.cause, elapsed_ms, self.calls, self.execution.history)

    def stop(self, error: str | None, cause: str | None) -> None:
        """Ends the execution from outside, as failed."""
        self._carry_out(self.execution.stop(error, cause, self._clock.now_ms()))

    def _carry_out(self, commands: list[Command]) -> None:
        for command in commands:
            match command:
                case CallGrain():
                    self.calls.append(command)
                    self._begin(command.id, self._call(command))
                case StartTimer():
                    self._begin(command.id, self._timer(command))
                case Continue():
                    go_on = lambda: self._carry_out(self.execution.go_on(self._clock.now_ms()))  # noqa: E731
                    asyncio.get_running_loop().call_soon(go_on)
                case Cancel():
                    self._open[command.id].cancel()
        if self.execution.finished is not None:
            self._ended.set()

    def _begin(self, id: int, work: Any) -> None:
        task = self._open[id] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda _: self._open.pop(id, None))

    async def _timer(self, timer: StartTimer) -> None:
        await self._clock.sleep_ms(timer.delay_ms)
        self._carry_out(self.execution.fired(timer.id, self._clock.now_ms()))

    async def _call(self, call: CallGrain) -> None:
        error: tuple[str | None, str | None] | None = None
        result: Any = None
        try:
            result = document.exact(await self._within(call))
        except GrainFailed as e:
            error = (e.error, e.cause)
        except asyncio.CancelledError:
            raise
        except Exception as e:
            error = (type(e).__name__, str(e))
        now_ms = self._clock.now_ms()
        if error is None:
            self._carry_out(self.execution.succeeded(call.id, result, now_ms))
        else:
            self._carry_out(self.execution.failed(call.id, *error, now_ms))

    async def _within(self, call: CallGrain) -> Any:
        """The call's result, or States.Timeout when the clock says that it took too long."""
        if not call.timeout_ms:
            return await self._call_grain(call)
        work = asyncio.ensure_future(self._call_grain(call))
        limit = asyncio.ensure_future(self._clock.sleep_ms(call.timeout_ms))
        try:
            await asyncio.wait({work, limit}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            raise GrainFailed(failure.TIMEOUT)
        finally:
            work.cancel()
            limit.cancel()


async def run(machine: Machine, input: Any, call: Call, id: str, clock: Clock | None) -> Outcome:
    clock = clock or RealClock()
    return await Live(machine.execution(id=id, start_ms=clock.now_ms()), call, clock).run(input)
