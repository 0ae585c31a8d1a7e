"""Which stubs a definition can find: one that no task asks for is a typing error, and the grain itself is called, or echoes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sand.asl import document, platform_services, resources, rules, service_fields, services, stubs, tokens


@dataclass(slots=True)
class Names:
    """called: what an engine asks stubs for: grains, workflows, queues and calls of services. resources: of tasks, as they are
    written. targets: what their arguments name, likewise. is_open: whether an expression computes one more, and so any."""

    called: set[str] = field(default_factory=set)
    resources: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    is_open: bool = False

    def add(self, other: Names) -> None:
        self.called |= other.called
        self.resources |= other.resources
        self.targets |= other.targets
        self.is_open |= other.is_open


def of(definition: Any) -> Names:
    """definition: as it was parsed; what is wrong in it is passed over."""
    names = Names()
    for state in _states(definition):
        _of_state(state, names)
    return names


def without_task(names: Names, given: Mapping[str, Any] | None) -> list[str]:
    """The stubs, by their names, that no engine asks for."""
    return [] if names.is_open else [key for key in given or {} if stubs.name_of(key) not in names.called]


def without_resource(names: Names, given: Mapping[str, Any] | None) -> list[str]:
    """As `without_task`, where stubs stand for whatever a resource may be: see `services.stubbed`."""
    found = {name for resource in names.resources for name in services.names(resource)}
    found |= {name for target in names.targets for name in services.parts(target)}
    return [key for key in without_task(names, given) if key not in found and services.called_by(key) not in names.called]


def _states(node: Any) -> Iterator[dict[str, Any]]:
    """Each, with those of Parallel and Map."""
    states = node.get("States") if isinstance(node, dict) else None
    for state in states.values() if isinstance(states, dict) else ():
        if not isinstance(state, dict):
            continue
        yield state
        branches = state.get("Branches")
        for below in (*(branches if isinstance(branches, list) else ()), state.get("ItemProcessor"), state.get("Iterator")):
            yield from _states(below)


def _of_state(state: dict[str, Any], names: Names) -> None:
    if "ItemReader" in state:
        names.called |= {"getObject", "listObjectsV2"}
    if "ResultWriter" in state:
        names.called.add("putObject")
    resource = state.get("Resource")
    if state.get("Type") != "Task" or not isinstance(resource, str):
        return
    names.resources.add(resource)
    names.targets |= {target for _, target in services.targets(state)}
    plain = tokens.without(resource)
    service = platform_services.service_of(plain)
    if service is not None:
        target = service_fields.target(state, service, "")
        _add(names, target and target[0])
        if isinstance(service, platform_services.Send):
            names.called.add("sendMessage")
        else:
            names.called |= {service.mode.value, platform_services.Mode.START.value}
    elif resources.invokes_function(plain):
        given = state.get("Arguments", state.get("Parameters"))
        function = given.get("FunctionName") if isinstance(given, dict) else None
        is_written = isinstance(function, str) and not ("Arguments" in state and rules.is_query(function))
        _add(names, resources.function_of(function) if is_written else None)
    elif (grain := resources.grain_of(plain)) is not None:
        names.called.add(grain)


def _add(names: Names, name: str | None) -> None:
    """name: None when it is computed."""
    if name is None:
        names.is_open = True
    else:
        names.called.add(name)


def parsed(definition: str) -> Any:
    """None when it is no JSON."""
    try:
        return document.parse(definition)
    except document.NoJson:
        return None
