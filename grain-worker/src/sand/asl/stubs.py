"""What stands in for grains in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from sand.asl import document, stub_check, tokens
from sand.asl.failure import GrainFailed

_OWN_NAMES = {"sand:object:get": "getObject", "sand:object:list": "listObjectsV2", "sand:object:put": "putObject"}
"""Of what AWS has other names for."""


Send = Callable[[str | None, Any], Any]
"""Sends to a queue: the group and the message go in, the task's result comes out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call does, after `delay_ms` of virtual time. failure: None when it gives `output`. callbacks: what is done with
    the token of a task that waits for one; None: this answer is the callback's."""

    output: Any
    failure: tuple[str | None, str | None] | None
    delay_ms: int
    callbacks: tuple[Mapping[str, Any], ...] | None = None


def delay_ms(stub: Mapping[str, Any]) -> int:
    return int(Decimal(str(stub.get("seconds", 0))) * 1000)


class Stubs:
    """By resource or its last part: {"echo": True}, {"return": JSON}, {"raise": {"error", "cause"}}, a function of the input,
    or a list of such, one a call, of which the last stays. With "seconds", how long a call takes. A grain that is not named
    gives back its input; what a function raises fails the task: GrainFailed by its error, others by the name of their class;
    an Answer that it returns is the answer.

    A task that waits for its token has "callback": {"success": JSON}, {"failure": {"error", "cause"}} or {"heartbeat": True},
    each with "seconds" from the start of the attempt, or a list of such, or a function of the input that gives these. Without
    it the answer is the callback's. {"call": function} is the function with "seconds" and "callback".

    The resources of ItemReaders and ResultWriters have stubs too: see `TrialObjects`.
    """

    def __init__(
        self, stubs: Mapping[str, Any] | None = None, queues: Mapping[str, Send | Mapping[str, Any]] | None = None
    ) -> None:
        """queues: by name, what sends to it, maybe with a callback as in `{"call": send, "callback": …}`; a message to another
        queue goes nowhere, and a stub of that name may fail its task. Raises ValueError for stubs that say nothing."""
        if faults := stub_check.faults(stubs):
            raise ValueError(f"a stub cannot be used: {faults[0].pointer}: {faults[0].message}")
        self._queues = queues or {}
        self._answers: dict[str, list[Any]] = {}
        self.counts: dict[str, int] = {}
        """How often each grain was called."""
        for resource, stub in (stubs or {}).items():
            self._answers[name_of(resource)] = stub if isinstance(stub, list) else [stub]

    def service(self, name: str, input: Any) -> Answer | None:
        """The next answer of a resource that is no grain; None: it has no stub."""
        return self.call(name, input) if name in self._answers else None

    def send(self, queue: str, group: str | None, message: Any) -> Answer | None:
        """What came of a message that was sent; None: it was not, there is no such queue."""
        stub = self._queues.get(queue)
        if stub is None:
            return None
        return _answer(partial(stub, group) if callable(stub) else {**stub, "call": partial(stub["call"], group)}, message)

    def call(self, grain: str, input: Any) -> Answer:
        count = self.counts[grain] = self.counts.get(grain, 0) + 1
        answers = self._answers.get(grain) or [{"echo": True}]
        return _answer(answers[min(count, len(answers)) - 1], input)


def name_of(resource: str) -> str:
    """What an engine asks for when it asks for the stub of this name."""
    return _OWN_NAMES.get(resource) or _last_part(tokens.without(resource))


def _last_part(resource: str) -> str:
    """That of an ARN, and the name alone; .sync:2 has a colon of its own."""
    if resource.endswith("startExecution.sync:2"):
        return "startExecution.sync:2"
    return resource.rpartition(":")[2]


def _answer(stub: Any, input: Any) -> Answer:
    if callable(stub):
        return _called(stub, input)
    callbacks = _callbacks(stub["callback"], input) if "callback" in stub else None
    if "call" in stub:
        called = _called(stub["call"], input)
        return replace(called, delay_ms=called.delay_ms + delay_ms(stub), callbacks=callbacks)
    if "raise" in stub:
        return Answer(None, (stub["raise"].get("error"), stub["raise"].get("cause")), delay_ms(stub), callbacks)
    # A copy: what comes back from a grain is never the very input that went there.
    return Answer(document.exact(stub.get("return", input)), None, delay_ms(stub), callbacks)


def _callbacks(said: Any, input: Any) -> tuple[Mapping[str, Any], ...]:
    given = said(document.plain(input)) if callable(said) else said
    if faults := list(stub_check.callback("/callback", given)):
        raise ValueError(f"what is done with a token cannot be: {faults[0].pointer}: {faults[0].message}")
    return tuple(given) if isinstance(given, list) else (given,)


def _called(function: Callable[[Any], Any], input: Any) -> Answer:
    try:
        given = function(document.plain(input))
        return given if isinstance(given, Answer) else Answer(document.exact(given), None, 0)
    except GrainFailed as e:
        return Answer(None, (e.error, e.cause), 0)
    except Exception as e:
        return Answer(None, (type(e).__name__, str(e)), 0)
