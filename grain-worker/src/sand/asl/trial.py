"""Drives one execution in virtual time: a Wait costs nothing, grains are stubs. For tests and `sand asl run`."""

import heapq
import itertools
from typing import Any

from sand.asl import document, failure, service_stubs
from sand.asl.execution import Execution
from sand.asl.messages import (
    AwaitCallback,
    CallGrain,
    Cancel,
    Command,
    Continue,
    ReadItems,
    StartTimer,
    WriteObject,
)
from sand.asl.objects import ItemFault, Objects
from sand.asl.outcome import Outcome
from sand.asl.stubs import Answer, Stubs, delay_ms
from sand.asl.tokens import STEP
from sand.asl.trial_objects import TrialObjects

START_MS = 1_704_067_200_000
"""2024-01-01T00:00:00Z: when every trial begins."""
LONGEST_MS = 365 * 86_400_000
"""AWS's quota: a year an execution ("Quotas for Step Functions")."""


class _Trial:
    def __init__(self, execution: Execution, stubs: Stubs, objects: Objects | None) -> None:
        self._execution = execution
        self._stubs = stubs
        self._objects = TrialObjects(stubs, objects)
        self._order = itertools.count()
        # At a time, in the order in which they were asked for: a signal, by the name of its method, and what it says.
        self._events: list[tuple[int, int, int | None, str, tuple[Any, ...]]] = []
        self._cancelled: set[int] = set()
        # By step: what the stub of a callback that is about to be awaited says.
        self._callbacks: dict[str, Answer] = {}
        self.calls: list[CallGrain] = []

    def run(self, input: Any, input_text: str | None, redrives: int, from_: str | None) -> Outcome:
        start_ms = self._execution.start_ms
        now_ms = self._finish(self._execution.start(input, input_text), start_ms)
        while redrives and (before := self._execution.finished) and before.status != "SUCCEEDED":
            if self._execution.is_expired:
                break
            redrives -= 1
            self._events.clear()  # Nothing that was asked for before counts.
            now_ms = self._finish(self._execution.redrive(before, now_ms, now_ms, from_), now_ms)
        end = self._execution.finished
        assert end is not None
        history = self._execution.history
        return Outcome(
            end.status, end.output, end.error, end.cause, now_ms - start_ms, self.calls, history, self._objects.shown()
        )

    def _finish(self, commands: list[Command], now_ms: int) -> int:
        """Until it has ended; gives the time of that."""
        self._carry_out(commands, now_ms)
        while self._execution.finished is None:
            if not self._events:
                # A token that nobody answers: time is virtual, and passes until no execution goes on.
                self._execution.expire()
                return max(now_ms, self._execution.start_ms + LONGEST_MS)
            at_ms, _, id, signal, said = heapq.heappop(self._events)
            if id in self._cancelled:
                continue
            now_ms = at_ms
            arguments = said if id is None else (id, *said)
            self._carry_out(getattr(self._execution, signal)(*arguments, now_ms), now_ms)
        return now_ms

    def _carry_out(self, commands: list[Command], now_ms: int) -> None:
        for command in commands:
            match command:
                case CallGrain():
                    self._call(command, now_ms)
                case StartTimer():
                    self._at(now_ms + command.delay_ms, command.id, "fired")
                case AwaitCallback():
                    self._await(command, self._callbacks.pop(command.step), now_ms)
                case ReadItems():
                    self._read(command, now_ms)
                case WriteObject():
                    answer = self._objects.put(command.piece)
                    self._report(command.id, now_ms + (answer.delay_ms if answer else 0), answer or Answer(None, None, 0))
                case Continue():
                    self._at(now_ms, None, "go_on")
                case Cancel():
                    self._cancelled.add(command.id)

    def _call(self, call: CallGrain, now_ms: int) -> None:
        self.calls.append(call)
        if call.service is None:
            answer = self._stubs.call(call.grain, call.input)
        else:
            answer = service_stubs.answer(self._stubs, call, now_ms)
        if call.awaits_token:
            self._callbacks[call.step + STEP] = answer
            if answer.callbacks is None:
                answer = Answer(None, None, answer.delay_ms)
        if 0 < call.timeout_ms < answer.delay_ms:
            self._at(now_ms + call.timeout_ms, call.id, "failed", failure.TIMEOUT, None)
        else:
            self._report(call.id, now_ms + answer.delay_ms, answer)

    def _read(self, command: ReadItems, now_ms: int) -> None:
        try:
            answer, items = self._objects.read(command.source)
        except ItemFault as e:
            self._at(now_ms, command.id, "failed", None, str(e))
            return
        at_ms = now_ms + (answer.delay_ms if answer else 0)
        if answer is not None and answer.failure is not None:
            self._at(at_ms, command.id, "failed", *answer.failure)
        else:
            self._at(at_ms, command.id, "succeeded", items)

    def _await(self, callback: AwaitCallback, answer: Answer, now_ms: int) -> None:
        """The callbacks of a stub; or its answer, which then is the callback's."""
        if answer.callbacks is None:
            self._report(callback.id, now_ms + answer.delay_ms, answer)
        for one in answer.callbacks or ():
            at_ms = now_ms + delay_ms(one)
            failed = one.get("failure")
            if "heartbeat" in one:
                self._at(at_ms, callback.id, "heartbeat")
            elif failed is None:
                self._report(callback.id, at_ms, Answer(document.exact(one.get("success")), None, 0))
            else:
                self._report(callback.id, at_ms, Answer(None, (failed.get("error"), failed.get("cause")), 0))

    def _report(self, id: int, at_ms: int, answer: Answer) -> None:
        if answer.failure is None:
            self._at(at_ms, id, "succeeded", answer.output)
        else:
            self._at(at_ms, id, "failed", *answer.failure)

    def _at(self, at_ms: int, id: int | None, signal: str, *said: Any) -> None:
        heapq.heappush(self._events, (at_ms, next(self._order), id, signal, said))


def run(
    execution: Execution,
    input: Any,
    stubs: Stubs,
    objects: Objects | None = None,
    redrives: int = 0,
    redrive_from: str | None = None,
    input_text: str | None = None,
) -> Outcome:
    """objects: those that are there; the trial does not change them. redrives: how often it is redriven, at once, when it
    has ended without success; redrive_from: the state that each begins from; None: the one that failed. input_text: what the
    input was read from, see `Execution.start`."""
    return _Trial(execution, stubs, objects).run(input, input_text, redrives, redrive_from)
