"""The Amazon States Language in Python: definitions checked, and executions run in virtual time or with real grains.

A second engine beside the Java one, held to the same vectors (`event/vectors/asl`). Nothing that runs in a sandbox imports it.

    machine = Machine({"StartAt": "Resize", "States": {...}})       # Refused, with every diagnostic, when it is wrong
    outcome = machine.run({"width": 3}, {"resize": {"return": 9}})  # stubs, virtual time: a Wait costs nothing
    outcome.status, outcome.output, outcome.error, outcome.cause, outcome.calls, outcome.history, outcome.elapsed_ms

    async def call(task: CallGrain) -> Any: ...                     # raise for a failure: the class's name is the error
    outcome = await machine.run_live({"width": 3}, call)            # real grains, real time (or a clock of yours)

Whoever wants to drive every step takes an `Execution`: signals in, commands out, no clock, thread or I/O of its own.
Values are what `json` gives, but a number with a fraction is a `decimal.Decimal` (`document.plain` makes floats of them).
"""

from sand.asl.clock import Clock, RealClock
from sand.asl.diagnostics import Diagnostic, Refused
from sand.asl.execution import Execution
from sand.asl.failure import GrainFailed
from sand.asl.machine import Machine, validate
from sand.asl.messages import CallGrain, Cancel, Continue, Finished, HistoryEvent, StartTimer
from sand.asl.outcome import NotSucceeded, Outcome
from sand.asl.stubs import Stubs

__all__ = [
    "CallGrain",
    "Cancel",
    "Clock",
    "Continue",
    "Diagnostic",
    "Execution",
    "Finished",
    "GrainFailed",
    "HistoryEvent",
    "Machine",
    "NotSucceeded",
    "Outcome",
    "RealClock",
    "Refused",
    "StartTimer",
    "Stubs",
    "validate",
]
