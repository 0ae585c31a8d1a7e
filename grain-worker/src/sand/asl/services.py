"""Stubs for whatever a task may name: services, activities, functions with a qualifier, queues by their URLs, what no grain is
called.

For `sand asl run`: what an engine is given is a definition whose tasks name the stubs, and stubs by the names that it asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from sand.asl import document, resources, rules
from sand.asl.platform_services import queue_of, workflow_of


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
    named = dict(stubs)
    for key, stub in stubs.items():
        if (name := called_by(key)) is not None:
            named.setdefault(name, stub)
    copy = _machine(tree, stubs, named)
    return copy, named


def called_by(key: str) -> str | None:
    """What an engine calls that whose stub is called by an ARN, a URL, or the name of a FIFO queue; None of others."""
    if ":function:" in key:
        return resources.function_of(key)
    if ":stateMachine:" in key:
        return workflow_of(key)
    return queue_of(key) if "://" in key or key.endswith(".fifo") else None


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
        if copy["Resource"] == resource:
            _name_target(copy, stubs, named)
    return copy


_TARGETS: dict[str, Callable[[str], str | None]] = {
    "FunctionName": resources.function_of,
    "StateMachineArn": workflow_of,
    "QueueUrl": queue_of,
}
"""What an engine calls that which an argument names."""


def _name_target(task: dict[str, Any], stubs: dict[str, Any], named: dict[str, Any]) -> None:
    given = _given(task)
    for field, text in targets(task):
        key = next((part for part in parts(text) if part in stubs), None)
        if key is None:
            continue
        name = _TARGETS[field](text)
        if name is not None:
            named.setdefault(name, stubs[key])
        else:
            task[given] = {**task[given], field: _stub(key, text, stubs, named)}


def _given(task: dict[str, Any]) -> str:
    return "Arguments" if "Arguments" in task else "Parameters"


def targets(task: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The functions, workflows and queues that its arguments write out, and the fields that do."""
    given = _given(task)
    arguments = task.get(given)
    for field in _TARGETS if isinstance(arguments, dict) else ():
        text = arguments.get(field)
        if isinstance(text, str) and not (given == "Arguments" and rules.is_query(text)):
            yield field, text


def parts(target: str) -> Iterator[str]:
    """What the stub of such a one may be called by: all of it, else what follows a colon or a slash."""
    yield target
    for mark in re.finditer("[:/]", target):
        yield target[mark.end() :]


def _resource(resource: str, stubs: dict[str, Any], named: dict[str, Any]) -> str:
    key = next((name for name in names(resource) if name in stubs), None)
    if key is None or resources.grain_of(resource) == key == resource:
        return resource
    return _stub(key, resource, stubs, named)


def _stub(key: str, stands_for: str, stubs: dict[str, Any], named: dict[str, Any]) -> str:
    name = f"Stub{list(stubs).index(key)}"
    named[name] = stubs[key]
    return resources.stub(name, stands_for)


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
