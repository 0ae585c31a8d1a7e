"""A cloud process in a test's hands: what `sand_application.process(id)` gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sand import values
from sand.emulator.applications import Application
from sand.emulator.executions import Execution
from sand.emulator.processes_specs import ID
from sand.emulator.results import CallFailed, Result
from sand.messages import Payload
from sand.process import SELF, Message


class ProcessHandle:
    """:param payload: of a value
    :param result: of an execution that has ended
    """

    def __init__(
        self, application: Application, id: str | None, payload: Callable[[Any], Payload], result: Callable[[Execution], Result]
    ) -> None:
        self._application = application
        self._processes = application.processes
        self._payload = payload
        self._result = result
        if id is not None and not isinstance(id, str):
            raise TypeError(f"a process's id is text, not {id!r:.100} ({type(id).__name__})")
        if id is not None and not ID.fullmatch(id):
            rule = "a process's id has 1 to 128 characters of A-Z, a-z, 0-9, '.', '_', '~' and '-', and is neither '.' nor '..'"
            raise ValueError(f"{rule}: {id!r:.200} is none")
        with self._processes.changed:
            known = [one.id for one in self._processes.all()]
            self.id = id if id is not None and id in known else self._processes.create(id)[0].id

    def invoke(self, function: str, input: Any = None, *, timeout_ms: int = 60_000) -> Any:
        """What the function gives. :raises CallFailed: nothing"""
        result = self.run(function, input, timeout_ms=timeout_ms)
        if result.failure is not None:
            raise CallFailed(result.failure)
        return result.output

    def run(self, function: str, input: Any = None, *, timeout_ms: int = 60_000) -> Result:
        """Invokes a function, to its end, however that is."""
        with self._processes.changed:
            process = self._processes.address(self.id, create=True)
            execution = self._processes.invoke(process, function, self._payload(input), timeout_ms)
        execution.ended.wait()
        return self._result(execution)

    @property
    def status(self) -> str:
        """active, idle or swapped. :raises NotFound: it was killed"""
        return self._processes.find(self.id).status

    @property
    def state(self) -> dict[str, Any]:
        """What functions that ended well have left, by key."""
        with self._processes.changed:
            held = self._processes.address(self.id).state
            return {key: values.decode(held[key], None) for key in sorted(held, key=str.encode)}

    @property
    def messages(self) -> list[Message]:
        """What is unread, in order of arrival; of messages that wait for others to invoke a function with, too."""
        with self._processes.changed:
            unread = self._processes.address(self.id).unread()
        return [
            Message(SELF if one.source == self.id else one.source, one.key, values.decode(one.payload, None)) for one in unread
        ]

    def swap_out(self) -> None:
        """Once no function runs in it."""
        self._processes.swap_out(self.id)

    def kill(self) -> None:
        self._processes.kill(self.id)
