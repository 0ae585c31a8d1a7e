"""What is told of an iteration of a distributed Map beside its output: an execution of its own, as AWS describes one."""

from __future__ import annotations

from typing import Any

from sand.asl import chance, document, object_fields, timestamps
from sand.asl.definition import Map
from sand.asl.distribution import MapRun
from sand.asl.joins import Join
from sand.asl.opaque import Opaque, OpaqueJoin
from sand.asl.platform_services import NOT_REDRIVABLE
from sand.asl.results import ResultFiles
from sand.asl.scopes import Scope
from sand.asl.visits import Visit


def files(visit: Visit, run: MapRun) -> ResultFiles | None:
    """None when results are not written."""
    writer = run.writer
    if writer is None or writer.parameters is None:
        return None
    bucket, folder = object_fields.destination(writer, run.writes, _id(visit))
    return ResultFiles(bucket, folder, writer.is_lines, map_run(visit))


def map_run(visit: Visit) -> str:
    """The name of the run itself."""
    return f"{_name(visit, 'mapRun')}:{_id(visit)}"


def _id(visit: Visit) -> str:
    return chance.uuid_of(visit.scope.info.execution_id, visit.step)


def _name(visit: Visit, kind: str) -> str:
    state = visit.state
    label = state.distribution.label if isinstance(state, Map) and state.distribution else None
    info = visit.scope.info
    return f"sand:{kind}:{info.application}/{info.workflow}/{label or state.name}"


def succeeded(join: Join, scope: Scope, output: Any) -> dict[str, Any]:
    is_json = not isinstance(output, Opaque | OpaqueJoin)
    included = {**({"Output": document.write(output)} if is_json else {}), "OutputDetails": {"Included": is_json}}
    return _begun(join, scope.index, scope.execution_input) | included | _ended(join, scope, "SUCCEEDED")


def failed(join: Join, scope: Scope, status: str, error: str | None, cause: str | None) -> dict[str, Any]:
    begun = _begun(join, scope.index, scope.execution_input)
    return begun | _why(error, cause) | {"OutputDetails": {"Included": True}} | _ended(join, scope, status)


def failure(error: str | None, cause: str | None) -> dict[str, Any]:
    """What stands for an iteration that failed among the results of a Map without a ResultWriter."""
    return {"Status": "FAILED"} | _why(error, cause)


def _why(error: str | None, cause: str | None) -> dict[str, str]:
    return {name: said for name, said in (("Error", error), ("Cause", cause)) if said is not None}


def pending(join: Join, index: int, input: Any) -> dict[str, Any]:
    """Of an item that is known and was not begun."""
    machine = {"StateMachineArn": _name(join.visit, "stateMachine"), "Status": "PENDING"}
    return _begun(join, index, input) | {"OutputDetails": {"Included": True}} | machine


def _begun(join: Join, index: int, input: Any) -> dict[str, Any]:
    visit = join.visit
    id = chance.uuid_of(visit.scope.info.execution_id, f"{visit.step}[{index}]")
    return {
        "ExecutionArn": f"{_name(visit, 'execution')}:{id}",
        "Input": document.write(input),
        "InputDetails": {"Included": True},
        "Name": id,
    }


def _ended(join: Join, scope: Scope, status: str) -> dict[str, Any]:
    is_over = status == "SUCCEEDED"
    return {
        "RedriveCount": scope.info.redrives - scope.began_redrives,
        "RedriveStatus": "NOT_REDRIVABLE" if is_over else "REDRIVABLE_BY_MAP_RUN",
        **({"RedriveStatusReason": NOT_REDRIVABLE} if is_over else {}),
        "StartDate": timestamps.text(scope.began_ms),
        "StateMachineArn": _name(join.visit, "stateMachine"),
        "Status": status,
        "StopDate": timestamps.text(scope.info.now_ms),
    }
