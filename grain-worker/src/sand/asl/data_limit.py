"""What the data of a task or a state may have, where an execution is held to the limit that AWS has: in UTF-8, as JSON text.

AWS looks at what a task's service and a distributed Map's run give (before any ResultSelector), at what a state's work gets
(behind Parameters), and at what a state hands on. The platform holds executions to the bounds of `limits` alone.
"""

from __future__ import annotations

from typing import Any

from sand.asl import definition as asl
from sand.asl import document, resources
from sand.asl.events import service_of
from sand.asl.failure import DATA_LIMIT_EXCEEDED, WholeError
from sand.asl.visits import Visit

_LONGEST = 6
"""Of what is written: bytes for each that `document.size` guesses."""


def is_over(value: Any, limit: int | None) -> bool:
    """limit: in bytes; None: there is none."""
    if limit is None or document.size(value, limit) * _LONGEST <= limit:
        return False
    return len(document.write(value).encode("utf-8", "replace")) > limit


def checked(visit: Visit, value: Any) -> Any:
    """What a state's work gets, or what it hands on. Raises WholeError."""
    if is_over(value, visit.scope.info.quotas.data_bytes):
        raise exceeded(visit.state.name)
    return value


def checked_run(visit: Visit, results: Any) -> Any:
    """Those of a Map, where that is a distributed one, whose run gives them. Raises WholeError."""
    is_run = isinstance(visit.state, asl.Map) and visit.state.distribution is not None
    return checked(visit, results) if is_run else results


def of_task(visit: Visit, task: asl.Task, result: Any) -> WholeError | None:
    """What a task fails with whose service gave too much; AWS names the function, or the service."""
    if not is_over(result, visit.scope.info.quotas.data_bytes):
        return None
    service = service_of(task)
    return exceeded(resources.shown(task.resource) if service is None else service["resourceType"])


def of_input(input: Any, limit: int | None) -> WholeError | None:
    """What an execution ends with that AWS would not have begun."""
    if not is_over(input, limit):
        return None
    return WholeError(DATA_LIMIT_EXCEEDED, f"The execution's input is over the limit of {limit} bytes.")


def exceeded(name: str) -> WholeError:
    what = f"The state/task '{name}' returned a result with a size exceeding the maximum number of bytes service limit."
    return WholeError(DATA_LIMIT_EXCEEDED, what)
