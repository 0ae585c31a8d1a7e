"""What is wrong with a workflow's definition, as a deployment tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sand.asl import document as documents
from sand.asl import service_fields, tokens, validate
from sand.asl.diagnostics import child
from sand.asl.platform_services import Send, Start, service_of
from sand.asl.resources import function_of, invokes_function


@dataclass(frozen=True)
class Known:
    """What the tasks of a definition may name: what an application has."""

    grains: frozenset[str]
    workflows: frozenset[str]
    queues: frozenset[str]


def diagnostics(definition: str, known: Known) -> Iterator[tuple[str, str]]:
    """What is wrong with a definition: a JSON Pointer and a sentence each."""
    found = validate(definition)
    for one in found:
        yield one.pointer, one.message
    try:
        machine = documents.parse(definition)
    except documents.NoJson:
        return
    wrong = [one.pointer for one in found]
    for pointer, sentence in _unknown(machine, "", known, wrong):
        if pointer not in wrong:
            yield pointer, sentence


def _unknown(machine: Any, pointer: str, known: Known, wrong: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tasks that name what the application does not have.

    :param wrong: pointers to what is no state, or not one of a machine that could run: more is not said of it
    """
    states = machine.get("States") if isinstance(machine, dict) else None
    for name, state in states.items() if isinstance(states, dict) else ():
        at = child(f"{pointer}/States", name)
        if not isinstance(state, dict):
            continue
        if state.get("Type") == "Task" and not any(
            one.startswith((f"{at}/Resource", f"{at}/Parameters", f"{at}/Arguments")) for one in wrong
        ):
            resource = state.get("Resource")
            if not isinstance(resource, str):
                continue
            resource = tokens.without(resource)
            service = service_of(resource)
            if service is None:
                yield from _unknown_grain(state, resource, at, known.grains)
            else:
                yield from _unknown_target(state, service, at, known)
        branches = state.get("Branches")
        for i, branch in enumerate(branches if isinstance(branches, list) else ()):
            yield from _unknown(branch, f"{at}/Branches/{i}", known, wrong)
        for key in ("ItemProcessor", "Iterator"):
            if key in state:
                yield from _unknown(state[key], f"{at}/{key}", known, wrong)


def _unknown_target(state: dict[str, Any], service: Start | Send, at: str, known: Known) -> Iterator[tuple[str, str]]:
    named = service_fields.target(state, service, at)
    what, there = ("workflow", known.workflows) if isinstance(service, Start) else ("queue", known.queues)
    if named is not None and named[0] not in there:
        yield named[1], f"The application has no {what} {named[0]}."
    for pointer, field in service_fields.foreign(state, service, at):
        yield pointer, f"The resource does not take {field} here."


def _unknown_grain(state: dict[str, Any], resource: str, at: str, grains: frozenset[str]) -> Iterator[tuple[str, str]]:
    grain: str | None = grain_of(resource)
    if invokes_function(resource):
        parameters = state.get("Parameters", state.get("Arguments"))
        name = parameters.get("FunctionName") if isinstance(parameters, dict) else None
        grain = function_of(name) if isinstance(name, str) and not name.startswith("{%") else None
        if grain is None:
            yield (
                f"{at}/Resource",
                "The FunctionName must be written out in the definition, so that the grain is known to be there.",
            )
            return
        for pointer, field in service_fields.foreign_to_functions(state, at):
            yield pointer, f"The resource does not take {field} here."
    elif resource.startswith("arn:") and ":::" in resource:
        words = "is none of those that work here: grains, lambda:invoke, states:startExecution and sqs:sendMessage"
        yield f"{at}/Resource", f"{resource} {words}."
        return
    if grain not in grains:
        yield f"{at}/Resource", f"The application has no grain {grain}."


def grain_of(resource: str) -> str:
    """`resize`, `sand:grain:resize`, or an ARN, of which the part behind `function:` counts."""
    parts = resource.split(":")
    return parts[parts.index("function") + 1] if "function" in parts[:-1] else parts[-1]
