"""What stands in for grains in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sand.asl import document, resources
from sand.asl.failure import GrainFailed


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call does, after `delay_ms` of virtual time. failure: None when it gives `output`."""

    output: Any
    failure: tuple[str | None, str | None] | None
    delay_ms: int


class Stubs:
    """By resource or its last part: {"echo": True}, {"return": JSON}, {"raise": {"error", "cause"}}, a function of the input,
    or a list of such, one a call, of which the last stays. With "seconds", how long a call takes. A grain that is not named
    gives back its input; what a function raises fails the task: GrainFailed by its error, others by the name of their class.
    """

    def __init__(self, stubs: Mapping[str, Any] | None = None) -> None:
        self._answers: dict[str, list[Any]] = {}
        self.counts: dict[str, int] = {}
        """How often each grain was called."""
        for resource, stub in (stubs or {}).items():
            self._answers[resource.rpartition(":")[2]] = stub if isinstance(stub, list) else [stub]

    def call(self, grain: str, input: Any) -> Answer:
        count = self.counts[grain] = self.counts.get(grain, 0) + 1
        answers = self._answers.get(grain) or [{"echo": True}]
        stub = answers[min(count, len(answers)) - 1]
        if callable(stub):
            return _called(stub, input)
        delay_ms = int(Decimal(str(stub.get("seconds", 0))) * 1000)
        if "raise" in stub:
            return Answer(None, (stub["raise"].get("error"), stub["raise"].get("cause")), delay_ms)
        return Answer(document.exact(stub["return"]) if "return" in stub else input, None, delay_ms)


def for_services(definition: Any, stubs: Any) -> Any:
    """The definition, in which a stub for the resource that invokes functions, and not for a function, stands for the whole
    service: its answer is the result. definition: an object, or its text.
    """
    names = [name for name in stubs or {} if name == "invoke" or resources.invokes_function(name)]
    if not names or not isinstance(stubs, dict):
        return definition
    try:
        tree = document.parse(definition) if isinstance(definition, str) else definition
    except document.NoJson:
        return definition
    return _with_services(tree)


def _with_services(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_services(element) for element in node]
    if not isinstance(node, dict):
        return node
    copy = {name: _with_services(member) for name, member in node.items()}
    if copy.get("Type") == "Task" and isinstance(copy.get("Resource"), str) and resources.invokes_function(copy["Resource"]):
        copy["Resource"] = "invoke"
    return copy


def _called(function: Callable[[Any], Any], input: Any) -> Answer:
    try:
        return Answer(document.exact(function(document.plain(input))), None, 0)
    except GrainFailed as e:
        return Answer(None, (e.error, e.cause), 0)
    except Exception as e:
        return Answer(None, (type(e).__name__, str(e)), 0)
