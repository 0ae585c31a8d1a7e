"""Why a body is no JSON, in the words of the platform and with its place: those of the frontend's `JsonFault`."""

from __future__ import annotations

import re

from sand.asl import document, json_faults
from sand.asl.document import NoJson

_CODE = re.compile(r" \(code \d+(?: / 0x[0-9a-fA-F]+)?\)")
_BEGUN = re.compile(r" ?\(start marker at [^)]*\)[^)]*\)?")
_VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
_ALLOW = re.compile(r": enable `?JsonReadFeature[^ ]* to allow")
_ESCAPED = re.compile("[\udc80-\udcff]")
_WORD = re.compile(r"Unrecognized token '([^']*)'")


def fault(text: str) -> tuple[str, int, int] | None:
    """A sentence, line and column (in bytes), both from 1; None when there is nothing wrong."""
    if text.startswith("\ufeff"):
        return document.MARK, 1, 1
    if not text.strip(document.BLANKS):
        return "there is no value", 1, 1
    found = json_faults.first(text)
    if found is None:
        return None
    said, at = found
    line, begin = json_faults.line_of(text, at)
    column = len(text[begin:at].encode("utf-8", "replace")) + 1 + max(0, at - len(text))
    if word := _WORD.match(said):
        column -= len(word[1].encode("utf-8", "replace"))
    return _sentence(said), line, column


def sentence(refused: NoJson, text: str) -> str:
    """As above, of a text that was refused; a byte that is no text stands in it as half of a pair of surrogates."""
    if _ESCAPED.search(text):
        return document.NO_UTF_8
    if refused.is_limit:
        return str(refused)
    if not text.strip(document.BLANKS):
        return "no value"
    found = fault(text)
    return found[0] if found else str(refused)


def _sentence(said: str) -> str:
    if said == json_faults.TRAILING:
        return "more than one JSON value"
    if "end-of-input" in said:
        return "it ends in the middle of a value"
    plain = _BEGUN.sub("", _CODE.sub("", said)).replace(_VALUES, "a JSON value")
    if said[len("Unexpected character (") :][:3] in ("']'", "'}'", "','"):
        plain = plain.replace("expected a valid value a JSON value", "expected a value")
    plain = plain.replace("expected a valid value a JSON value", "expected a JSON value")
    return _ALLOW.sub("", plain.replace("was expecting", "expected"))
