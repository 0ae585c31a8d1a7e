"""Drives one execution with real grains, in an event loop: calls run side by side, timers are the clock's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sand.asl import document, failure
from sand.asl.clock import Clock
from sand.asl.execution import Execution
from sand.asl.failure import GrainFailed
from sand.asl.messages import AwaitCallback, CallGrain, Cancel, Command, Continue, Finished, ReadItems, StartTimer, WriteObject
from sand.asl.objects import ItemFault, Objects, items
from sand.asl.outcome import Outcome
from sand.asl.results import Piece

Call = Callable[[CallGrain], Awaitable[Any]]


def _write(objects: Objects, piece: Piece) -> None:
    objects.write(piece.key, piece.content_type, piece.offset, piece.content, piece.is_last)


class Live:
    """One execution in the running event loop. `execution.history` may be read while it runs."""

    def __init__(self, execution: Execution, call: Call, clock: Clock, objects: Objects | None = None) -> None:
        """objects: that its Maps read and write."""
        self.execution = execution
        self._objects = objects
        self.calls: list[CallGrain] = []
        self._call_grain = call
        self._clock = clock
        self._open: dict[int, asyncio.Task[None]] = {}
        self.awaited: dict[str, AwaitCallback] = {}
        """By step: whom somebody outside has a token for."""
        self._ended = asyncio.Event()
        self._broken: BaseException | None = None

    async def run(self, input: Any, input_text: str | None = None) -> Outcome:
        """Cancelling it cancels every call."""
        return await self._run(self.execution.start(input, input_text))

    async def redrive(self, ended: Finished, ended_ms: int, from_: str | None = None) -> Outcome:
        """As `run`, for an execution that ended in another one of these, see `Execution.redrive`."""
        return await self._run(self.execution.redrive(ended, ended_ms, self._clock.now_ms(), from_))

    async def _run(self, first: list[Command]) -> Outcome:
        try:
            self._carry_out(first)
            await self._ended.wait()
        finally:
            for task in self._open.values():
                task.cancel()
        if self._broken is not None:
            raise self._broken
        end = self.execution.finished
        assert end is not None
        elapsed_ms = self._clock.now_ms() - self.execution.start_ms
        return Outcome(end.status, end.output, end.error, end.cause, elapsed_ms, self.calls, self.execution.history)

    def stop(self, error: str | None, cause: str | None) -> None:
        """Ends the execution from outside, as failed."""
        self._take(lambda: self.execution.stop(error, cause, self._clock.now_ms()))

    def succeed(self, step: str, output: Any) -> bool:
        """A callback for a step, `TaskTokens.read(token).step`: whether it was awaited."""
        waits = self.awaited.pop(step, None)
        if waits is not None:
            self._take(lambda: self.execution.succeeded(waits.id, document.exact(output), self._clock.now_ms()))
        return waits is not None

    def fail(self, step: str, error: str | None, cause: str | None) -> bool:
        waits = self.awaited.pop(step, None)
        if waits is not None:
            self._take(lambda: self.execution.failed(waits.id, error, cause, self._clock.now_ms()))
        return waits is not None

    def beat(self, step: str) -> bool:
        waits = self.awaited.get(step)
        if waits is not None:
            self._take(lambda: self.execution.heartbeat(waits.id, self._clock.now_ms()))
        return waits is not None

    def _carry_out(self, commands: list[Command]) -> None:
        for command in commands:
            match command:
                case CallGrain():
                    self.calls.append(command)
                    self._begin(command.id, self._call(command))
                case StartTimer():
                    self._begin(command.id, self._timer(command))
                case Continue():
                    asyncio.get_running_loop().call_soon(self._go_on)
                case ReadItems():
                    source = command.source
                    self._begin(command.id, self._use(command.id, lambda objects, source=source: items(source, objects)))
                case WriteObject():
                    piece = command.piece
                    self._begin(command.id, self._use(command.id, lambda objects, piece=piece: _write(objects, piece)))
                case AwaitCallback():
                    self.awaited[command.step] = command
                case Cancel():
                    self._cancel(command.id)
        if self.execution.finished is not None:
            self.awaited = {}
            self._ended.set()

    def _begin(self, id: int, work: Any) -> None:
        task = self._open[id] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda done: self._on_done(id, done))

    def _on_done(self, id: int, done: asyncio.Task[None]) -> None:
        self._open.pop(id, None)
        if not done.cancelled() and (broken := done.exception()) is not None:
            self._break(broken)

    def _go_on(self) -> None:
        self._take(lambda: self.execution.go_on(self._clock.now_ms()))

    def _take(self, signal: Callable[[], list[Command]]) -> None:
        try:
            self._carry_out(signal())
        except Exception as broken:
            self._break(broken)

    def _break(self, broken: BaseException) -> None:
        """What breaks while a signal is worked on breaks the run: nobody else would hear of it, and all would wait."""
        self._broken = self._broken or broken
        self._ended.set()

    def _cancel(self, id: int) -> None:
        if id in self._open:
            self._open[id].cancel()
        else:
            self.awaited = {step: one for step, one in self.awaited.items() if one.id != id}

    async def _use(self, id: int, work: Callable[[Objects], Any]) -> None:
        """Something is done with objects."""
        try:
            if self._objects is None:
                raise ItemFault("There are no objects here.")
            result = work(self._objects)
        except ItemFault as e:
            self._carry_out(self.execution.failed(id, None, str(e), self._clock.now_ms()))
        else:
            self._carry_out(self.execution.succeeded(id, result, self._clock.now_ms()))

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
