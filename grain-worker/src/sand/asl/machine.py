"""A definition that can run: the module's front."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sand.asl import document, live, reading, trial
from sand.asl.clock import Clock, RealClock
from sand.asl.definition import StateMachine
from sand.asl.diagnostics import Diagnostic, Refused
from sand.asl.events import EventLog
from sand.asl.execution import Execution
from sand.asl.messages import CallGrain
from sand.asl.objects import Objects
from sand.asl.outcome import Outcome
from sand.asl.quotas import NONE, Quotas
from sand.asl.stubs import Stubs
from sand.asl.tokens import TaskTokens


def _text(definition: str | Mapping[str, Any]) -> str:
    return definition if isinstance(definition, str) else document.write(document.exact(definition))


def validate(definition: str | Mapping[str, Any]) -> list[Diagnostic]:
    """Everything that is wrong with a definition, in the order in which it stands; empty when it can run."""
    return reading.read(_text(definition))[1]


class Machine:
    """A checked definition; any number of executions may run of it. Raises Refused with every diagnostic.

    application, name: what the context object shows; definition: JSON text, or what `json` would have read from it.
    """

    def __init__(self, definition: str | Mapping[str, Any], *, application: str = "trial", name: str = "workflow") -> None:
        machine, diagnostics = reading.read(_text(definition))
        if machine is None or diagnostics:
            raise Refused(diagnostics)
        self._machine: StateMachine = machine
        self._application = application
        self._name = name

    def execution(
        self,
        *,
        id: str = "trial",
        start_ms: int = trial.START_MS,
        tokens: TaskTokens | None = None,
        log: EventLog | None = None,
        quotas: Quotas = NONE,
        places: tuple[str, ...] | None = None,
    ) -> Execution:
        """For a driver of its own, see `Execution`."""
        return Execution(
            self._machine,
            application=self._application,
            workflow=self._name,
            id=id,
            start_ms=start_ms,
            tokens=tokens,
            log=log,
            quotas=quotas,
            places=places,
        )

    def run(
        self,
        input: Any,
        stubs: Mapping[str, Any] | Stubs | None = None,
        *,
        id: str = "trial",
        start_ms: int = trial.START_MS,
        objects: Objects | None = None,
        redrives: int = 0,
        redrive_from: str | None = None,
        input_text: str | None = None,
        quotas: Quotas = NONE,
    ) -> Outcome:
        """Runs to the end in virtual time: waits, retries and slow stubs cost nothing.

        input: JSON; floats become decimals by their text. stubs: see `Stubs`; a grain that has none gives back its input.
        objects: those that are there for its Maps, and stay as they are. redrives: how often it is redriven, at once, when it
        has ended without success; redrive_from: the state that each begins from; None: the one that failed. input_text: the
        JSON text that the input was read from, for causes that show it. quotas: `quotas.AWS` holds it to what AWS allows.
        """
        given = stubs if isinstance(stubs, Stubs) else Stubs(stubs)
        places = () if redrive_from is None else (redrive_from,)
        execution = self.execution(id=id, start_ms=start_ms, quotas=quotas, places=places)
        return trial.run(execution, document.exact(input), given, objects, redrives, redrive_from, input_text)

    async def run_live(
        self,
        input: Any,
        call: Callable[[CallGrain], Awaitable[Any]],
        *,
        id: str = "live",
        clock: Clock | None = None,
        tokens: TaskTokens | None = None,
        began: Callable[[live.Live], None] | None = None,
        objects: Objects | None = None,
        log: EventLog | None = None,
        input_text: str | None = None,
    ) -> Outcome:
        """Runs with real grains: `call` is awaited for each, concurrently where the workflow is.

        What it returns is the task's result; GrainFailed fails the task by name, others by the name of their class. A call
        over its TimeoutSeconds, by the clock, and one that nobody waits for any more are cancelled.
        tokens: makes those of tasks that wait for a callback. began: is given what runs; its `succeed`, `fail` and `beat`
        take reports on these, in the event loop. objects: that its Maps read and write. log: told of each event of the history.
        input_text: as in `run`.
        """
        clock = clock or RealClock()
        execution = self.execution(id=id, start_ms=clock.now_ms(), tokens=tokens, log=log)
        running = live.Live(execution, call, clock, objects)
        if began is not None:
            began(running)
        return await running.run(document.exact(input), input_text)
