"""What a test says in Python and what a workflow works on, as one and the other: JSON with its digits, bytes and arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sand import values
from sand.asl import CallGrain, GrainFailed, Outcome, document
from sand.asl.diagnostics import child
from sand.asl.opaque import Opaque, OpaqueJoin
from sand.asl.stubs import Answer
from sand.emulator.segments import Segments
from sand.emulator.workflow_values import payload_of, value_of
from sand.errors import BadRequest, TooLarge, Unserializable
from sand.messages import Payload


class StubValues:
    """:param segments: where a large value's bytes are on their way"""

    def __init__(self, segments: Segments) -> None:
        self._segments = segments

    def payload(self, given: Any, what: str = "the event") -> Payload:
        """:raises Unserializable: a handler could not return it either"""
        return self._segments.inline(values.encode(given, "test/test", what, self._segments))

    def value(self, given: Any, what: str) -> Any:
        """:raises Unserializable:"""
        return value_of(self.payload(given, what))

    def stubs(self, stubs: Mapping[str, Any] | None) -> dict[str, Any]:
        """What they give, as a grain would have given it. :raises ValueError: one of them cannot, or says nothing"""
        return {name: self._stub(child("", name), stub) for name, stub in (stubs or {}).items()}

    def _stub(self, pointer: str, stub: Any) -> Any:
        if isinstance(stub, list):
            if not stub:
                raise ValueError(f"a stub cannot be used: {pointer}: The stub says nothing: its list is empty.")
            return [self._stub(f"{pointer}/{index}", one) for index, one in enumerate(stub)]
        if callable(stub):
            return self._function(stub)
        more: dict[str, Any] = {}
        if "call" in stub:
            more["call"] = self._function(stub["call"])
        if "return" in stub:
            more["return"] = self._said(f"{pointer}/return", stub["return"])
        return {**stub, **more}

    def _said(self, pointer: str, given: Any) -> Any:
        try:
            return self.value(given, "what it gives")
        except (Unserializable, TooLarge) as refused:
            raise ValueError(f"a stub cannot be used: {pointer}: {refused}") from None

    def _function(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def call(input: Any) -> Any:
            try:
                shown = _plain(input)
            except BadRequest as refused:  # a handler would not have been given it either
                raise GrainFailed("Sand.BadRequest", str(refused)) from None
            given = function(shown)
            if isinstance(given, Answer):
                return given
            try:
                return self.value(given, "what the stub returned")
            except (Unserializable, TooLarge) as refused:
                raise GrainFailed(f"Sand.{type(refused).__name__}", str(refused)) from None

        return call


def check_callbacks(said: Mapping[str, Any] | None) -> None:
    """:raises ValueError: the output of one is no JSON"""
    for name, one in (said or {}).items():
        for each in one if isinstance(one, list) else [one]:
            if not callable(each) and "success" in each:
                as_json(each["success"], f"a callback cannot be used: {child('', name)}/success")


def as_json(given: Any, where: str) -> Any:
    """What a test says, with its digits. :raises ValueError: it is none"""
    try:
        return document.parse(values.to_json(given).decode())
    except (TypeError, ValueError, RecursionError) as refused:
        raise ValueError(f"{where}: {refused}") from None


def _plain(value: Any) -> Any:
    """As a handler has it. :raises BadRequest: it is called JSON, and none"""
    return values.decode(payload_of(value), None) if isinstance(value, Opaque | OpaqueJoin) else value


def _asked(call: CallGrain) -> CallGrain:
    try:
        return replace(call, input=_plain(call.input))
    except BadRequest:
        return replace(call, input=payload_of(call.input).bytes)


def shown(outcome: Outcome) -> Outcome:
    """Values without an inside as a handler has them. :raises BadRequest: the output is called JSON, and none"""
    return replace(outcome, output=_plain(outcome.output), calls=[_asked(call) for call in outcome.calls])
