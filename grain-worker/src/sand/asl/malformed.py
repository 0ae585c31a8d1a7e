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


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _chars(text: str) -> int:
    """As Java counts them."""
    return len(document.utf_16(text)) // 2


def fault(text: str, is_text: bool = False) -> tuple[str, int, int] | None:
    """A sentence, line and column, both from 1; None when there is nothing wrong.

    :param is_text: columns are counted in characters of UTF-16, not in bytes
    """
    wide = _chars if is_text else _bytes
    if text.startswith("\ufeff"):
        return document.MARK, 1, 1
    if not text.strip(document.BLANKS):
        return "there is no value", 1, 1
    found = json_faults.first(text)
    if found is None:
        return None
    said, at = found
    line, begin = json_faults.line_of(text, at)
    column = wide(text[begin:at]) + 1 + max(0, at - len(text))
    if word := _WORD.match(said):
        column -= wide(word[1])
    return _sentence(said, is_text), line, column


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


def _sentence(said: str, is_text: bool) -> str:
    if said == json_faults.TRAILING:
        return "more than one JSON value"
    if "end-of-input" in said:
        return "it ends in the middle of a value"
    plain = _BEGUN.sub("", _CODE.sub("", said)).replace(_VALUES, "a JSON value")
    found = said[len("Unexpected character (") :][:3]
    if found in ("']'", "'}'") or (found == "','" and not is_text):
        plain = plain.replace("expected a valid value a JSON value", "expected a value")
    plain = plain.replace("expected a valid value a JSON value", "expected a JSON value")
    return _ALLOW.sub("", plain.replace("was expecting", "expected"))
