"""How deep a JSON text is nested, found without reading it. Imported only for one that has brackets enough to be too deep."""

from __future__ import annotations

import re

_ALIKE = bytes.maketrans(b"{}", b"[]")
_NO_MARKS = bytes(set(range(256)) - set(b'[]{}"'))
_STRING = re.compile(rb'"[^"]*"')
_RUN = re.compile(rb"\[+|\]+")
# Most texts have no more levels: so many are taken off all of it at once.
_QUICK_LEVELS = 12


def deepest(json: bytes) -> int:
    """Arrays and objects count. What is no JSON gives some number."""
    if b"\\" in json:
        json = json.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Two quotes side by side are a string without a mark, or two strings with nothing between.
    marks = _STRING.sub(b"", json.translate(_ALIKE, _NO_MARKS).replace(b'""', b""))
    quick = 0
    while marks and quick < _QUICK_LEVELS:
        marks = marks.replace(b"[]", b"")
        quick += 1
    depth = most = 0
    for run in _RUN.finditer(marks):
        length = run.end() - run.start()
        depth += length if marks[run.start()] == ord("[") else -length
        most = max(most, depth)
    return quick + most
