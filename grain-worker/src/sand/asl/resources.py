"""What a Task's Resource names."""

from __future__ import annotations

import re

_GRAIN = re.compile(r"[A-Za-z0-9_-]{1,64}|\$\{[A-Za-z0-9_.-]{1,62}\}|<[A-Za-z0-9_.-]{1,62}>", re.ASCII)
"""A name that a function can have, of which a grain can have some; or what a template or an example has in its place."""
_STUB = "sand:stub:"
_PATTERN = re.compile(r"\.(waitForTaskToken|sync|sync:[0-9])$", re.ASCII)

_ACTIVITY = re.compile(r"arn:[^:]+:states:[^:]+:[^:]+:activity:.*", re.DOTALL)


def pattern_of(resource: str) -> str:
    """How a service is waited for: ".waitForTaskToken", ".sync", ".sync:2", or ""."""
    found = _PATTERN.search(resource)
    return found[0] if found else ""


def stub(name: str, resource: str) -> str:
    """What a stub, by the name of a grain, stands in for: as a resource itself."""
    return f"{_STUB}{name}:{resource}"


def shown(resource: str) -> str:
    """Of what a stub stands in for, that."""
    return resource.removeprefix(_STUB).partition(":")[2] if resource.startswith(_STUB) else resource


def grain_of(resource: str) -> str | None:
    """Of `name`, `sand:grain:name`, or the last part of an ARN (a function, an action); None when it names none."""
    name = resource
    if resource.startswith("sand:grain:"):
        name = resource.removeprefix("sand:grain:")
    elif resource.startswith(_STUB):
        name = resource.removeprefix(_STUB).partition(":")[0]
    elif resource.startswith("arn:"):
        parts = resource.removesuffix(pattern_of(resource)).split(":", 5)
        if len(parts) < 6:
            return None
        rest = parts[5].split(":")
        name = (rest[1] if rest[0] == "function" and len(rest) > 1 else rest[-1]).rpartition("/")[2]
    return name if _GRAIN.fullmatch(name) else None


def is_activity(resource: str) -> bool:
    """Whether it is what asks for work at its own time, or stands in for that."""
    return _ACTIVITY.fullmatch(shown(resource)) is not None


def is_submitted(resource: str) -> bool:
    """Whether the state waits for the end of what a service only begins."""
    return pattern_of(resource).startswith(".sync")


def invokes_function(resource: str) -> bool:
    """Whether it is the service integration that calls the function which its FunctionName names."""
    return resource.startswith("arn:") and resource.endswith(":lambda:invoke")


def function_of(name: str) -> str | None:
    """The grain of a FunctionName: a name, a partial or a whole ARN, each with or without a qualifier; None when it is none."""
    if name.startswith(("arn:", _STUB)):
        return grain_of(name)
    return grain_of((name.partition(":function:")[2] or name).partition(":")[0])
