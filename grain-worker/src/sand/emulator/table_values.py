"""What an operation does to one value of a table: pure, by the rules of the data layer's `TableValue`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from sand.emulator.versions import total
from sand.errors import BadRequest
from sand.messages import Payload, TableOperation
from sand.values import INLINE_BYTES, JSON, to_json


class Outcome(NamedTuple):
    """:param value: after the operation; None: there is none
    :param given: and `number`: the operation's result
    """

    value: Payload | None
    given: Payload | None
    number: int | None


def apply(operation: TableOperation, current: Payload | None) -> Outcome:
    """:raises BadRequest: it does not suit the value that is there, or a limit is passed"""
    match operation.operation:
        case "get":
            return Outcome(current, current, None)
        case "check":
            return Outcome(current, None, None)
        case "put":
            return Outcome(_bounded(operation, operation.value), None, None)
        case "delete":
            return Outcome(None, None, 0 if current is None else 1)
        case "add":
            count = total(operation.key, current and current.bytes, _number(operation))
            return Outcome(_json(count), None, count)
        case "setField" | "removeField":
            return _on_map(operation, current)
        case "append" | "prepend" | "addMembers":
            return _longer(operation, [] if current is None else _array(operation, current, "a list"))
        case "popFirst" | "popLast" | "keepFirst" | "keepLast":
            return _cut(operation, current)
        case "remove" | "removeMembers":
            return _removed(operation, current)
    raise BadRequest(f'a table has no operation "{operation.operation}"')


def _longer(operation: TableOperation, found: list[Any]) -> Outcome:
    if operation.operation == "addMembers":
        there = {identity(member) for member in found}
        added = 0
        for member in _array(operation, operation.value, "an array of members"):
            if identity(member) not in there:
                there.add(identity(member))
                found.append(member)
                added += 1
        return _changed(operation, found, None, added)
    more = _array(operation, operation.value, "an array of elements")
    joined = found + more if operation.operation == "append" else more + found
    return _changed(operation, joined, None, len(joined))


def _cut(operation: TableOperation, current: Payload | None) -> Outcome:
    found = [] if current is None else _array(operation, current, "a list")
    pops = operation.operation.startswith("pop")
    asked = (1 if operation.number is None else operation.number) if pops else _number(operation)
    count = min(max(asked, 0), len(found))
    if current is None:
        return Outcome(None, _json([]) if pops else None, 0)
    at = count if operation.operation.endswith("First") else len(found) - count
    first, rest = found[:at], found[at:]
    chosen, left = (first, rest) if operation.operation.endswith("First") else (rest, first)
    if pops:
        return _changed(operation, left, _json(chosen), count)
    return _changed(operation, chosen, None, len(chosen))


def _removed(operation: TableOperation, current: Payload | None) -> Outcome:
    one = operation.operation == "remove"
    gone = [_parsed(operation, operation.value)] if one else _array(operation, operation.value, "an array of members")
    if current is None:
        return Outcome(None, None, 0)
    found = _array(operation, current, "a list")
    unwanted = {identity(element) for element in gone}
    left = [element for element in found if identity(element) not in unwanted]
    return _changed(operation, left, None, len(found) - len(left))


def _on_map(operation: TableOperation, current: Payload | None) -> Outcome:
    if operation.field is None:
        raise _bad(operation, "needs a field")
    found = {} if current is None else _parsed(operation, current)
    if not isinstance(found, dict):
        raise _bad(operation, "is for a map, a JSON object; the value is none")
    if operation.operation == "setField":
        found[operation.field] = _parsed(operation, operation.value)
        return _changed(operation, found, None, len(found))
    there = operation.field in found
    found.pop(operation.field, None)
    return Outcome(None, None, 0) if current is None else _changed(operation, found, None, int(there))


def identity(value: Any) -> str:
    """Equal for equal JSON: true is not 1, and an object's order of keys does not count."""
    return json.dumps(value, sort_keys=True)


def _changed(operation: TableOperation, value: Any, given: Payload | None, number: int) -> Outcome:
    return Outcome(_bounded(operation, _json(value)), given, number)


def _bounded(operation: TableOperation, value: Payload | None) -> Payload:
    if value is None:
        raise _bad(operation, "needs a value")
    size = len(value.bytes) if value.bytes is not None else value.reference.size if value.reference else 0
    if value.bytes is None or size > INLINE_BYTES:
        raise BadRequest(
            f'the value of "{operation.key}" would have {size} bytes, over the limit of {INLINE_BYTES} bytes of a '
            "value in a table"
        )
    return value


def _json(value: Any) -> Payload:
    return Payload(JSON, to_json(value))


def _array(operation: TableOperation, value: Payload | None, what: str) -> list[Any]:
    found = _parsed(operation, value)
    if not isinstance(found, list):
        raise _bad(operation, f"is for {what}, a JSON array; the value is none")
    return found


def _parsed(operation: TableOperation, value: Payload | None) -> Any:
    if value is None:
        raise _bad(operation, "needs a value")
    if value.bytes is None or not value.content_type.startswith(JSON):
        raise _bad(operation, f"is for JSON; the value is {value.content_type}")
    try:
        return json.loads(value.bytes)
    except (ValueError, RecursionError) as broken:
        raise _bad(operation, f"is for JSON: {broken}") from None


def _number(operation: TableOperation) -> int:
    if operation.number is None:
        raise _bad(operation, "needs a number")
    return operation.number


def _bad(operation: TableOperation, message: str) -> BadRequest:
    return BadRequest(f'{operation.operation} of "{operation.key}" {message}')
