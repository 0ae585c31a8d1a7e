"""Stubs for whatever a Task's Resource may be: services, activities, functions with a qualifier, names that no grain can have.

For `sand asl run`: what an engine is given is a definition whose tasks name the stubs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sand.asl import document, resources


def stubbed(definition: Any, stubs: Any) -> tuple[Any, Any]:
    """The definition and the stubs, of which those that a task's resource finds get names that a grain can have.

    A resource finds the stub of its own name, else that of the longest part of it that follows a colon; with what says how it
    is waited for (.sync, .waitForTaskToken), else without. So a stub for the resource that invokes functions, and not for a
    function, stands for the whole service: its answer is the result. definition: an object, or its text; what is neither, and
    stubs that are none, are handed back.
    """
    if not isinstance(stubs, dict) or not stubs:
        return definition, stubs
    try:
        tree = document.parse(definition) if isinstance(definition, str) else definition
    except document.NoJson:
        return definition, stubs
    named = {**stubs, **{name: stub for key, stub in stubs.items() for name in _functions(key)}}
    copy = _machine(tree, stubs, named)
    return copy, named


def _functions(key: str) -> Iterator[str]:
    """A function is called by its name, whatever its stub is called by."""
    name = resources.function_of(key) if ":function:" in key else None
    if name is not None:
        yield name


def _machine(node: Any, stubs: dict[str, Any], named: dict[str, Any]) -> Any:
    if not isinstance(node, dict) or not isinstance(node.get("States"), dict):
        return node
    return {**node, "States": {name: _state(state, stubs, named) for name, state in node["States"].items()}}


def _state(node: Any, stubs: dict[str, Any], named: dict[str, Any]) -> Any:
    if not isinstance(node, dict):
        return node
    copy = dict(node)
    if isinstance(node.get("Branches"), list):
        copy["Branches"] = [_machine(branch, stubs, named) for branch in node["Branches"]]
    for name in ("ItemProcessor", "Iterator"):
        if name in node:
            copy[name] = _machine(node[name], stubs, named)
    resource = node.get("Resource")
    if node.get("Type") == "Task" and isinstance(resource, str):
        copy["Resource"] = _resource(resource, stubs, named)
    return copy


def _resource(resource: str, stubs: dict[str, Any], named: dict[str, Any]) -> str:
    key = next((name for name in names(resource) if name in stubs), None)
    if key is None or resources.grain_of(resource) == key == resource:
        return resource
    stub = f"Stub{list(stubs).index(key)}"
    named[stub] = stubs[key]
    return resources.stub(stub, resource)


def names(resource: str) -> Iterator[str]:
    """What a stub for it may be called by, the most exact first."""
    if resource.startswith(("sand:workflow:", "sand:queue:")):
        # By its own name it is the workflow or the queue, and not the service.
        yield resource
        return
    for name in (resource, resource.removesuffix(resources.pattern_of(resource))):
        yield name
        for at, character in enumerate(name):
            if character == ":":
                yield name[at + 1 :]
    grain = resources.grain_of(resource)
    if grain is not None:
        yield grain
