"""`…/invocations/{id}/history`, as the frontend's HistoryView has it: the events of AWS's GetExecutionHistory."""

from __future__ import annotations

from typing import Any

from sand.asl import events
from sand.emulator.executions import Execution
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem

# How the end of an execution is called that its state machine knows nothing of, or sees otherwise.
_ENDS = {"TIMED_OUT": "ExecutionTimedOut", "CANCELLED": "ExecutionAborted", "FAILED": "ExecutionFailed"}
_SUCCEEDED = "ExecutionSucceeded"


def answer(request: Request, execution: Execution) -> Response:
    limit = request.number("limit", 100, 1, 1000)
    after = request.number("after", 0, 0, 2**31 - 1)
    is_reverse = request.flag("reverse")
    iteration = request.query("iteration") or ""
    whole = _history(execution)
    shown = execution.log.of(iteration) if iteration else whole
    if iteration and not shown:
        detail = f"Execution {execution.id} has no iteration {iteration} of a distributed Map."
        raise Problem(404, "unknown-iteration", "Unknown iteration", detail)
    if is_reverse:
        shown.reverse()
    left = [event for event in shown if not after or (event["id"] < after if is_reverse else event["id"] > after)]
    next_ = left[limit - 1]["id"] if len(left) > limit else None
    said = {"executionId": execution.id, "status": execution.status, "events": left[:limit], "next": next_}
    return answer_json(200, said)


def _history(execution: Execution) -> list[dict[str, Any]]:
    """The execution's own, with its end as its record has it."""
    if execution.target not in execution.manifest.workflows:
        detail = f"'{execution.target}' is no workflow: there is no history."
        raise Problem(409, "no-workflow", "No workflow", detail)
    if execution.log.is_over:
        detail = f"The history of execution {execution.id} is over a limit ({events.MOST_BYTES} bytes of values)."
        raise Problem(410, "history-gone", "The history is not kept", detail)
    status, failure = execution.status, execution.failure
    shown = execution.log.of("")
    # The machine may end before the events that its grains have published.
    if shown and shown[-1]["type"] == _SUCCEEDED and status != "SUCCEEDED":
        shown.pop()
    if status in _ENDS and not (shown and shown[-1]["type"] in _ENDS.values()):
        at_ms, id = execution.ended_ms or execution.started_ms, len(shown) + 1
        details = events.failed(failure.error, failure.cause) if failure else {}
        shown.append(events.shown(id, id - 1, at_ms, _ENDS[status], details))
    return shown
