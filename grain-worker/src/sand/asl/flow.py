"""Data through a state: input, InputPath, Parameters, work, ResultSelector, ResultPath, OutputPath; in JSONata: input,
Arguments, work, Output. A step that is not given hands the document on as it is."""

import copy
from typing import Any

from sand.asl import data_limit, document
from sand.asl.definition import Catcher, Task
from sand.asl.expressions import Expression, Template, not_found
from sand.asl.failure import runtime
from sand.asl.opaque import inside
from sand.asl.path_walk import Missing
from sand.asl.paths import Path
from sand.asl.reference_path import ReferencePath
from sand.asl.scopes import ABSENT
from sand.asl.visits import View, Visit


def selected(visit: Visit, path: Path | None, data: Any) -> Any:
    """What a path leads to; None: an empty object."""
    if path is None:
        return {}
    if path.is_whole_data:
        return data
    value = _apart(visit, read(visit, path, data))
    return value if path.is_definite else document.checked(value)


def _apart(visit: Visit, value: Any) -> Any:
    """Something that was selected or made, and so is not the execution's input itself, which alone is shown as it came."""
    return copy.copy(value) if value is visit.scope.info.input and isinstance(value, dict | list) else value


def read(visit: Visit, path: Path, data: Any) -> Any:
    try:
        return path.read(View(visit, data))
    except Missing as e:
        raise runtime(f"Invalid path '{path}' : {e}") from None


def evaluated(visit: Visit, expression: Expression, data: Any, field: str) -> Any:
    """field: what the expression stands in, for the cause when it leads nowhere."""
    view = View(visit, data)
    try:
        return expression.evaluate(view)
    except Missing:
        raise not_found(expression, field, view) from None


def filled(template: Template | None, view: View) -> Any:
    """What the template makes; None: the data at hand."""
    return view.whole if template is None else _apart(view.visit, document.checked(template(view)))


def given(visit: Visit) -> Any:
    """What the state works on."""
    return selected(visit, visit.state.flow.input_path, visit.input)


def arguments(visit: Visit, data: Any) -> Any:
    """What its work gets."""
    return data_limit.checked(visit, filled(visit.state.flow.parameters, View(visit, data)))


def role(visit: Visit, task: Task, data: Any) -> str | None:
    """The role that a task's Credentials name; None: none, or no text."""
    named = {} if task.credentials is None else task.credentials(View(visit, data))
    return named["RoleArn"] if isinstance(named.get("RoleArn"), str) else None


def output(visit: Visit, result: Any) -> Any:
    """What goes on after its work."""
    flow = visit.state.flow
    if flow.is_jsonata:
        output = result if flow.output is None else filled(flow.output, View(visit, visit.input, result))
    else:
        made = filled(flow.result_selector, View(visit, result))
        output = selected(visit, flow.output_path, _placed(visit, flow.result_path, made))
    return data_limit.checked(visit, output)


def passed_on(visit: Visit, data: Any, output: Template | None) -> Any:
    """What goes on from a state that does no work. output: JSONata's."""
    if visit.state.flow.is_jsonata:
        return data_limit.checked(visit, filled(output, View(visit, visit.input)))
    return data_limit.checked(visit, selected(visit, visit.state.flow.output_path, data))


def caught(visit: Visit, catcher: Catcher, error: dict[str, Any]) -> Any:
    """What goes on when an error is caught."""
    if not visit.state.flow.is_jsonata:
        output = _placed(visit, catcher.result_path, error)
    else:
        output = error if catcher.output is None else filled(catcher.output, View(visit, visit.input, error=error))
    return data_limit.checked(visit, output)


def assign(visit: Visit, template: Template | None, result: Any = ABSENT, error: Any = ABSENT) -> None:
    """Gives variables their values, reckoned from those that they had before."""
    if template is None:
        return
    if visit.state.flow.is_jsonata:
        view = View(visit, visit.input, result, error)
    else:
        view = View(visit, result if error is ABSENT else error)
    values = filled(template, view)
    visit.scope.assign(values)
    visit.assigned = values


def _placed(visit: Visit, place: ReferencePath | None, value: Any) -> Any:
    """The state's input with a value at a place; None: nowhere."""
    if place is None:
        return visit.input
    return value if place.is_whole else document.checked(place.write(inside(visit.input), inside(value)))
