"""What is wrong with a workflow's definition, as a deployment tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sand.asl import document as documents
from sand.asl import validate
from sand.asl.resources import function_of, invokes_function


def diagnostics(definition: str, grains: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a definition: a JSON Pointer and a sentence each."""
    found = validate(definition)
    for one in found:
        yield one.pointer, one.message
    if not found:
        yield from _unknown(documents.parse(definition), "", grains)


def _unknown(machine: dict[str, Any], pointer: str, grains: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Tasks of grains that the application does not have."""
    for name, state in machine.get("States", {}).items():
        at = f"{pointer}/States/{name.replace('~', '~0').replace('/', '~1')}"
        if state.get("Type") == "Task":
            yield from _unknown_grain(state, at, grains)
        for i, branch in enumerate(state.get("Branches", ())):
            yield from _unknown(branch, f"{at}/Branches/{i}", grains)
        for key in ("ItemProcessor", "Iterator"):
            if key in state:
                yield from _unknown(state[key], f"{at}/{key}", grains)


def _unknown_grain(state: dict[str, Any], at: str, grains: frozenset[str]) -> Iterator[tuple[str, str]]:
    grain: str | None = grain_of(state["Resource"])
    if invokes_function(state["Resource"]):
        parameters = state.get("Parameters", state.get("Arguments"))
        name = parameters.get("FunctionName") if isinstance(parameters, dict) else None
        grain = function_of(name) if isinstance(name, str) and not name.startswith("{%") else None
        if grain is None:
            yield (
                f"{at}/Resource",
                "The FunctionName must be written out in the definition, so that the grain is known to be there.",
            )
            return
    if grain not in grains:
        yield f"{at}/Resource", f"The application has no grain '{grain}'."


def grain_of(resource: str) -> str:
    """`resize`, `sand:grain:resize`, or an ARN, of which the part behind `function:` counts."""
    parts = resource.split(":")
    return parts[parts.index("function") + 1] if "function" in parts[:-1] else parts[-1]
