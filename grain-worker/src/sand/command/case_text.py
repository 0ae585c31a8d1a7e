"""The text of a case as it came, where the text itself matters."""

import json

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def member(text: str, name: str) -> str | None:
    """Of the JSON text of an object: the text of a member's value as it stands there; None when it has none of that name."""
    found = None
    at = _value(text, _value(text, 0) + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        start = _value(text, _value(text, end) + 1)
        _, end = _DECODER.raw_decode(text, start)
        if key == name:
            found = text[start:end]
        at = _value(text, end)
        if text[at] == ",":
            at = _value(text, at + 1)
    return found


def _value(text: str, at: int) -> int:
    """Behind white space."""
    while text[at] in " \t\r\n":
        at += 1
    return at
