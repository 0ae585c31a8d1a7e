"""An application in a test's hands: what the fixtures of sand.testing give."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sand import values
from sand.asl import GrainFailed, Machine, Outcome, Stubs, document, stub_check, stub_names
from sand.asl.stubs import Answer
from sand.context import Data
from sand.emulator import ids
from sand.emulator.applications import Applications
from sand.emulator.attempts import Attempt
from sand.emulator.executions import Callback, Execution
from sand.emulator.forked import ForkedGrains
from sand.emulator.inline import InlineConnection, InlineGrains
from sand.emulator.lines import Which
from sand.emulator.process_handle import ProcessHandle
from sand.emulator.results import CallFailed, Result, Running
from sand.emulator.saved_events import path_of
from sand.emulator.trigger_events import DeadLetter
from sand.emulator.workflow_objects import WorkflowObjects
from sand.emulator.workflow_services import send
from sand.messages import Payload

TIMEOUT_MS = 60_000
__all__ = ["CallFailed", "Harness", "Result", "Running"]


def _with_callback(stub: Any, said: Any) -> Any:
    """A stub of `Stubs` whose task's token is used as said."""
    if isinstance(stub, list):
        return [_with_callback(one, said) for one in stub]
    return {"call": stub, "callback": said} if callable(stub) else {**stub, "callback": said}


class _Outside:
    """What `Data` needs of a context, for a caller that is no grain."""

    def __init__(self, connection: Any, segments: Any) -> None:
        self._connection = connection
        self.segments = segments
        self.invocation_id = "test/test"


class Harness:
    """An application without a server.

    :param forked: each request in a process of its own; else all in this one
    :raises problems.Problem: the folder is not valid, with all that is wrong with it
    """

    def __init__(self, folder: Path, forked: bool = False) -> None:
        self._applications = Applications(ForkedGrains if forked else InlineGrains, is_manual=True)
        self._application, self._version = self._applications.load(Path(folder))
        self.name = self._application.name
        outside = Attempt("test/test", "test", "test", "test", Payload(values.JSON, b"null"), time.monotonic_ns())
        connection = InlineConnection(self._application.data, outside)
        self.data = Data(_Outside(connection, self._application.segments))  # type: ignore[arg-type]

    def call(self, target: str, event: Any = None, **options: Any) -> Any:
        """The output. :raises CallFailed: there is none"""
        result = self.invoke(target, event, **options)
        if result.failure is not None:
            raise CallFailed(result.failure)
        return result.output

    def invoke(
        self, target: str, event: Any = None, *, content_type: str | None = None, timeout_ms: int = TIMEOUT_MS
    ) -> Result:
        """Runs a grain or a workflow to its end, however that is.

        :param event: what a handler may return too: JSON, bytes, an array
        :param content_type: of bytes
        """
        payload = self._payload(event)
        if content_type is not None:
            payload = payload._replace(content_type=content_type)
        execution = self._application.start(self._version, target, payload, timeout_ms)
        execution.ended.wait()
        return self._result(execution)

    def event(self, grain: str, name: str) -> Any:
        """The event in `tests/events/GRAIN/NAME.json` of the folder. :raises FileNotFoundError: there is none"""
        return values.from_json((self._version.manifest.folder / path_of(grain, name)).read_bytes())

    def start(self, target: str, event: Any = None, *, timeout_ms: int = TIMEOUT_MS) -> Running:
        """As `invoke`, without waiting: for a test that answers a workflow's task tokens while it runs."""
        execution = self._application.start(self._version, target, self._payload(event), timeout_ms)
        return Running(execution, self._result)

    def process(self, id: str | None = None) -> ProcessHandle:
        """A cloud process, which is created if there is none of that id; None: a new one."""
        return ProcessHandle(self._application, id, self._payload, self._result)

    def settle(self, seconds: float = 60.0) -> None:
        """Returns when no function runs or waits in any process. :raises TimeoutError: they do still"""
        if not self._application.processes.settle(seconds):
            raise TimeoutError(f"functions run in processes of {self.name} after {seconds} s")

    def succeed(self, token: str, output: Any = None) -> bool:
        """Reports on a task that waits for its token. Whether it was awaited, and so counts. :raises ValueError: no token"""
        return self._report(token, lambda live, step: live.succeed(step, output))

    def fail(self, token: str, error: str | None = None, cause: str | None = None) -> bool:
        return self._report(token, lambda live, step: live.fail(step, error, cause))

    def heartbeat(self, token: str) -> bool:
        return self._report(token, lambda live, step: live.beat(step))

    def _report(self, token: str, report: Callback) -> bool:
        place = self._applications.tokens.read(token)
        if place is None:
            raise ValueError(f"no token of this application: {token}")
        return self._applications.call_back(place, report)

    def workflow(
        self,
        name: str,
        input: Any = None,
        stubs: Mapping[str, Any] | None = None,
        callbacks: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Outcome:
        """Runs a workflow in virtual time: waits, retries and time-outs cost nothing.

        :param stubs: by grain: {"return": value}, {"raise": {"error": …, "cause": …}}, {"echo": true}, a function of
            the input, or a list of such, one a call; a grain without one is called itself. A workflow that is started
            without one runs with the same stubs, and its task takes as long. A message to a queue without one is in the
            queue, for `drain`; a stub takes its place
        :param callbacks: by grain, workflow or queue whose task waits for its token: {"success": value},
            {"failure": {"error": …, "cause": …}} or {"heartbeat": true}, each with "seconds" from the start of the attempt, a
            list of such, or a function of the task's input that gives these; without one, what the grain, queue or stub gives
            is the callback's
        :param options: of sand.asl.Machine.run: id, start_ms

        Maps read the application's objects, and write into objects of the outcome's alone.

        :raises KeyError: of the workflow and those that it starts, no task can ask for one of the stubs
        :raises ValueError: a stub or what is done with a token cannot be used, such as one that says nothing
        """
        for what, faults in (("stub", stub_check.faults(stubs)), ("callback", stub_check.callback_faults(callbacks))):
            if faults:
                raise ValueError(f"a {what} cannot be used: {faults[0].pointer}: {faults[0].message}")
        self._check_stubs(name, stubs)
        return self._workflow(name, input, stubs, callbacks, **options)

    def _check_stubs(self, name: str, stubs: Mapping[str, Any] | None) -> None:
        """A name that is mistyped would leave the test to what it was to be spared of, and maybe green."""
        workflows = self._version.manifest.workflows
        names, seen, begun = stub_names.Names(), set[str](), [name] if stubs else []
        while begun:
            seen.update(begun)
            for one in begun:
                names.add(stub_names.of(stub_names.parsed(workflows[one].definition) if one in workflows else None))
            begun = [one for one in workflows if one not in seen and (one in names.called or names.is_open)]
        if unmatched := stub_names.without_task(names, stubs):
            known = ", ".join(sorted(names.called)) or "nothing"
            raise KeyError(f"no task of workflow {name} asks for the stub {', '.join(unmatched)}; they ask for {known}")

    def _workflow(
        self,
        name: str,
        input: Any = None,
        stubs: Mapping[str, Any] | None = None,
        callbacks: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Outcome:
        workflow = self._version.manifest.workflows.get(name)
        if workflow is None:
            raise KeyError(f"application {self.name} has no workflow {name}")
        machine = Machine(workflow.definition, application=self.name, name=name)
        real = {grain: partial(self._call_grain, grain) for grain in self._version.manifest.grains}
        real |= {other: partial(self._call_workflow, other, stubs, callbacks) for other in self._version.manifest.workflows}
        chosen: dict[str, Any] = real | dict(stubs or {})
        named = {name.rpartition(":")[2] for name in stubs or {}}
        queues: dict[str, Any] = {
            queue: partial(self._send, queue) for queue in self._version.manifest.queues if queue not in named
        }
        for waiting, said in (callbacks or {}).items():
            if waiting not in chosen and waiting not in queues:
                raise KeyError(f"application {self.name} has no grain, workflow or queue {waiting}")
            for found in (chosen, queues):
                if waiting in found:
                    found[waiting] = _with_callback(found[waiting], said)
        objects = WorkflowObjects(self._application.data)
        return machine.run(input, Stubs(chosen, queues), objects=objects, **options)

    def _send(self, queue: str, group: str | None, message: Any) -> dict[str, Any]:
        """As a task of an execution of its own does."""
        return send(self._application, f"{ids.new()}/{queue}", queue, group, document.exact(message))

    # --- queues and triggers: nothing happens by itself, and pauses cost nothing

    def enqueue(self, queue: str, payload: Any = None, group: str | None = None, id: str | None = None) -> str:
        """Sends a message, as over HTTP; `drain` delivers it. Its id. :raises KeyError: there is no such queue"""
        return self._application.triggers.send(self._version.manifest.queues[queue], group, self._payload(payload), id)

    def drain(self, seconds: float = 60.0) -> None:
        """Delivers all messages, with their retries and what follows from them, until no queue has any."""
        self._application.triggers.drain(seconds)

    def fire(self, trigger: str, scheduled_ms: int | None = None) -> None:
        """A schedule's fire, whether it is armed or not, for a time (epoch milliseconds; now when not given), to its end."""
        at = self._application.triggers.now_ms() if scheduled_ms is None else scheduled_ms
        self._application.triggers.fire(self._version.manifest.triggers[trigger], at)
        self.drain()

    def waiting(self, queue: str) -> int:
        """Messages of a queue, or of a trigger's, that are not worked off."""
        return self._application.triggers.waiting(queue)

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Each with message, attempts, failure and execution_id, in order of their ids."""
        return self._application.triggers.letters(queue)

    def _call_grain(self, grain: str, input: Any) -> Any:
        result = self.invoke(grain, input)
        if result.failure is not None:
            timed_out = result.failure.error == "Sand.Timeout"
            raise GrainFailed("States.Timeout") if timed_out else GrainFailed(result.failure.error, result.failure.cause)
        return result.output

    def _call_workflow(
        self, name: str, stubs: Mapping[str, Any] | None, callbacks: Mapping[str, Any] | None, input: Any
    ) -> Answer:
        outcome = self._workflow(name, input, stubs, callbacks)
        failure = None if outcome.status == "SUCCEEDED" else (outcome.error, outcome.cause)
        return Answer(document.exact(outcome.output), failure, outcome.elapsed_ms)

    def _payload(self, event: Any) -> Payload:
        segments = self._application.segments
        return segments.inline(values.encode(event, "test/test", "the event", segments))

    def _result(self, execution: Execution) -> Result:
        output = execution.output
        kept, which = self._application.lines, Which(execution.id)
        decoded = None if output is None else values.decode(output, None)
        kind = None if output is None else output.content_type
        return Result(
            execution.status, decoded, kind, execution.failure, execution.hops(),
            lambda: kept.before(self.name, which, None, 10_000)[0], execution.history,
        )  # fmt: skip

    def __enter__(self) -> Harness:
        return self

    def __exit__(self, *_: object) -> None:
        self._applications.close()
