"""An application in a test's hands: what the fixtures of sand.testing give."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sand import values
from sand.asl import GrainFailed, Machine, Outcome, Stubs, failure, stub_check, stub_names
from sand.asl.opaque import Opaque, OpaqueJoin
from sand.asl.stubs import Answer
from sand.context import Data
from sand.emulator import ids, stub_values
from sand.emulator.applications import Applications
from sand.emulator.attempts import Attempt
from sand.emulator.executions import Callback, Execution
from sand.emulator.forked import ForkedGrains
from sand.emulator.inline import InlineConnection, InlineGrains
from sand.emulator.invoke import MOST_TIMEOUT_MS
from sand.emulator.lines import Which
from sand.emulator.process_handle import ProcessHandle
from sand.emulator.results import CallFailed, Result, Running
from sand.emulator.saved_events import names_in, path_of
from sand.emulator.stub_values import StubValues
from sand.emulator.trigger_events import DeadLetter
from sand.emulator.workflow_objects import WorkflowObjects
from sand.emulator.workflow_services import send
from sand.emulator.workflow_values import payload_of, value_of
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
        self._values = StubValues(self._application.segments)
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
        :param timeout_ms: until its deadline, which a handler that runs in this process is not held to
        """
        payload = self._values.payload(event)
        if content_type is not None:
            payload = payload._replace(content_type=content_type)
        return self._result(self._ended(target, payload, timeout_ms))

    def _ended(self, target: str, payload: Payload, timeout_ms: int) -> Execution:
        execution = self._begun(target, payload, timeout_ms)
        execution.ended.wait()
        return execution

    def _begun(self, target: str, payload: Payload, timeout_ms: int) -> Execution:
        if not isinstance(timeout_ms, int) or not 1 <= timeout_ms <= MOST_TIMEOUT_MS:
            raise ValueError(f"timeout_ms is a whole number from 1 to {MOST_TIMEOUT_MS}, not {timeout_ms!r}")
        return self._application.start(self._version, target, payload, timeout_ms)

    def event(self, grain: str, name: str) -> Any:
        """The event in `tests/events/GRAIN/NAME.json` of the folder. :raises FileNotFoundError: there is none"""
        folder = self._version.manifest.folder
        if name not in (there := names_in(folder, grain)):
            known = f"the events of {grain} there are {', '.join(there)}" if there else f"{grain} has no events there"
            raise FileNotFoundError(f"{folder} has no file {path_of(grain, name)}; {known}")
        return values.from_json((folder / path_of(grain, name)).read_bytes())

    def start(self, target: str, event: Any = None, *, timeout_ms: int = TIMEOUT_MS) -> Running:
        """As `invoke`, without waiting: for a test that answers a workflow's task tokens while it runs."""
        return Running(self._begun(target, self._values.payload(event), timeout_ms), self._result)

    def process(self, id: str | None = None) -> ProcessHandle:
        """A cloud process, which is created if there is none of that id; None: a new one."""
        return ProcessHandle(self._application, id, self._values.payload, self._result)

    def settle(self, seconds: float = 60.0) -> None:
        """Returns when no function runs or waits in any process. :raises TimeoutError: they do still"""
        if not self._application.processes.settle(seconds):
            raise TimeoutError(f"functions run in processes of {self.name} after {seconds} s")

    def succeed(self, token: str, output: Any = None) -> bool:
        """Reports on a task that waits for its token. Whether it was awaited, and so counts. :raises ValueError: no token"""
        given = stub_values.as_json(output, "the output of a task that waits for its token is JSON")
        return self._report(token, lambda live, step: live.succeed(step, given))

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
        stub_values.check_callbacks(callbacks)
        self._check_stubs(name, stubs)
        given, known = self._values.value(input, "the input"), self._values.stubs(stubs)
        return stub_values.shown(self._workflow(name, given, known, callbacks, **options))

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
        return send(self._application, f"{ids.new()}/{queue}", queue, group, value_of(self._input(message)))

    # --- queues and triggers: nothing happens by itself, and pauses cost nothing

    def enqueue(self, queue: str, payload: Any = None, group: str | None = None, id: str | None = None) -> str:
        """Sends a message, as over HTTP; `drain` delivers it. Its id. :raises KeyError: there is no such queue"""
        spec = self._version.manifest.queues.get(queue)
        if spec is None:
            raise self._unknown("queue", queue, self._version.manifest.queues)
        return self._application.triggers.send(spec, group, self._values.payload(payload), id)

    def drain(self, seconds: float = 60.0) -> None:
        """Delivers all messages, with their retries and what follows from them, until no queue has any."""
        self._application.triggers.drain(seconds)

    def fire(self, trigger: str, scheduled_ms: int | None = None) -> None:
        """A schedule's fire, whether it is armed or not, for a time (epoch milliseconds; now when not given), to its end.

        :raises KeyError: there is no such trigger
        """
        if trigger not in self._version.manifest.triggers:
            raise self._unknown("trigger", trigger, self._version.manifest.triggers)
        at = self._application.triggers.now_ms() if scheduled_ms is None else scheduled_ms
        self._application.triggers.fire(self._version.manifest.triggers[trigger], at)
        self.drain()

    def waiting(self, queue: str) -> int:
        """Messages of a queue, or of a trigger's, that are not worked off. :raises KeyError: there is no such queue"""
        self._check_queue(queue)
        return self._application.triggers.waiting(queue)

    def dead_letters(self, queue: str) -> list[DeadLetter]:
        """Each with message, attempts, failure and execution_id, in order of their ids. :raises KeyError: as `waiting`"""
        self._check_queue(queue)
        return self._application.triggers.letters(queue)

    def _check_queue(self, name: str) -> None:
        """A name that is mistyped would have no messages, and leave a test green."""
        known = self._version.manifest.all_queues()
        if name not in known:
            raise self._unknown("queue", name, known)

    def _unknown(self, what: str, name: str, known: Mapping[str, Any]) -> KeyError:
        return KeyError(f"application {self.name} has no {what} {name}; it has {', '.join(sorted(known)) or 'none'}")

    def _call_grain(self, grain: str, input: Any) -> Any:
        execution = self._ended(grain, self._input(input), TIMEOUT_MS)
        if (failed := execution.failure) is not None:
            raise GrainFailed(failure.TIMEOUT) if failed.error == "Sand.Timeout" else GrainFailed(failed.error, failed.cause)
        assert execution.output is not None
        return value_of(execution.output)

    def _input(self, given: Any) -> Payload:
        """Of a task."""
        return payload_of(given) if isinstance(given, Opaque | OpaqueJoin) else self._values.payload(given)

    def _call_workflow(
        self, name: str, stubs: Mapping[str, Any] | None, callbacks: Mapping[str, Any] | None, input: Any
    ) -> Answer:
        outcome = self._workflow(name, input, stubs, callbacks)
        failed = None if outcome.status == "SUCCEEDED" else (outcome.error, outcome.cause)
        if isinstance(outcome.output, Opaque) and not outcome.output.broken:
            failed = (failure.DATA_LIMIT_EXCEEDED, f"the output of workflow {name} is no JSON")
        return Answer(outcome.output, failed, outcome.elapsed_ms)

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
