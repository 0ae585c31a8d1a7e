"""Drives one execution in virtual time: a Wait costs nothing, grains are stubs. For tests and `sand asl run`."""

import heapq
import itertools
from typing import Any

from sand.asl import failure
from sand.asl.execution import Execution
from sand.asl.messages import CallGrain, Cancel, Command, Continue, Finished, StartTimer
from sand.asl.outcome import Outcome
from sand.asl.stubs import Stubs

START_MS = 1_704_067_200_000
"""2024-01-01T00:00:00Z: when every trial begins."""


class _Trial:
    def __init__(self, execution: Execution, stubs: Stubs) -> None:
        self._execution = execution
        self._stubs = stubs
        self._order = itertools.count()
        # At a time, in the order in which they were asked for: a signal, by the name of its method, and what it says.
        self._events: list[tuple[int, int, int | None, str, tuple[Any, ...]]] = []
        self._cancelled: set[int] = set()
        self.calls: list[CallGrain] = []

    def run(self, input: Any) -> Outcome:
        now_ms = start_ms = self._execution.start_ms
        self._carry_out(self._execution.start(input), now_ms)
        while self._execution.finished is None:
            if not self._events:
                raise RuntimeError("the execution waits for nothing and has not ended")
            at_ms, _, id, signal, said = heapq.heappop(self._events)
            if id in self._cancelled:
                continue
            now_ms = at_ms
            arguments = said if id is None else (id, *said)
            self._carry_out(getattr(self._execution, signal)(*arguments, now_ms), now_ms)
        end: Finished = self._execution.finished
        history = self._execution.history
        return Outcome(end.status, end.output, end.error, end.cause, now_ms - start_ms, self.calls, history)

    def _carry_out(self, commands: list[Command], now_ms: int) -> None:
        for command in commands:
            match command:
                case CallGrain():
                    self._call(command, now_ms)
                case StartTimer():
                    self._at(now_ms + command.delay_ms, command.id, "fired")
                case Continue():
                    self._at(now_ms, None, "go_on")
                case Cancel():
                    self._cancelled.add(command.id)

    def _call(self, call: CallGrain, now_ms: int) -> None:
        self.calls.append(call)
        answer = self._stubs.call(call.grain, call.input)
        if 0 < call.timeout_ms < answer.delay_ms:
            self._at(now_ms + call.timeout_ms, call.id, "failed", failure.TIMEOUT, None)
        elif answer.failure is not None:
            self._at(now_ms + answer.delay_ms, call.id, "failed", *answer.failure)
        else:
            self._at(now_ms + answer.delay_ms, call.id, "succeeded", answer.output)

    def _at(self, at_ms: int, id: int | None, signal: str, *said: Any) -> None:
        heapq.heappush(self._events, (at_ms, next(self._order), id, signal, said))


def run(execution: Execution, input: Any, stubs: Stubs) -> Outcome:
    return _Trial(execution, stubs).run(input)
