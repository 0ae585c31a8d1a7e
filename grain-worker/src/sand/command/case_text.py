"""The text of a case as it came, where the text itself matters."""

import json
import re

from sand.asl.document import NoJson

_BLANKS = " \t\r\n"
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|[:,]|[^"\[\]{}:,\s]+|\s+', re.DOTALL)


def member(text: str, name: str) -> str | None:
    """Of the JSON text of an object: the text of a member's value as it stands there; None when it has none of that name."""
    return members(text).get(name)


def members(text: str) -> dict[str, str]:
    """Of the JSON text of an object: the texts of its members' values, however deep; of a name that stands twice, the last.

    Raises NoJson when it is none as far as it is looked at: what the values hold is not.
    """
    found: dict[str, str] = {}
    depth = 0
    name: str | None = None
    start = 0
    for part in _PARTS.finditer(text):
        mark = part[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        at_end = depth == 0 and mark == "}"
        if depth == 1 and mark == ":" and name is None:
            name, start = _name(text[start : part.start()]), part.end()
        elif (depth == 1 and mark == ",") or at_end:
            value = text[start : part.start()].strip(_BLANKS)
            if name is not None:
                found[name] = value
            elif value or found or not at_end:
                raise NoJson("a member has no name")
            name, start = None, part.end()
        elif depth == 1 and mark == "{" and not found and name is None:
            start = part.end()
    if depth != 0 or text[start:].strip(_BLANKS):
        raise NoJson("it is not one object")
    return found


def _name(text: str) -> str:
    try:
        name = json.loads(text)
    except ValueError:
        name = None
    if not isinstance(name, str):
        raise NoJson("a name must be a string")
    return name
