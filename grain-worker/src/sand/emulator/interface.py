"""`/openapi.yaml`: the platform's document, with the operations that the emulator has and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

_PATH = re.compile(r"  (/\S*):\n")
_METHOD = re.compile(r"    (get|put|post|patch|delete|head|options):\n")
_BEGIN = "\npaths:\n"
_END = "\n\ncomponents:\n"
NOTE = """    This is the emulator's: it has the operations that the emulator serves, and no others. docs/GUIDE.md names those.

"""
_AFTER = "  description: |\n"


def document(is_served: Callable[[str, str], bool]) -> str:
    """:param is_served: whether there is such a method ("GET") and template of a path"""
    text = Path(str(files("sand.emulator") / "openapi.yaml")).read_text(encoding="utf-8")
    begin, end = text.index(_BEGIN) + len(_BEGIN), text.index(_END) + 1
    kept = "".join(_served(text[begin:end], is_served))
    head = text[:begin].replace(_AFTER, _AFTER + NOTE, 1)
    return head + kept + text[end:]


def _served(paths: str, is_served: Callable[[str, str], bool]) -> Iterator[str]:
    """The blocks of paths, each without the operations that are not there."""
    for template, block in _blocks(paths, _PATH):
        shared, *operations = _blocks(block, _METHOD)
        kept = [each for method, each in operations if is_served(method.upper(), template)]
        if kept:
            yield f"  {template}:\n{shared[1]}{''.join(kept)}"


def _blocks(text: str, heading: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Each with its name; of paths, without the heading; of operations, with it, and before them what they share."""
    found = [match for match in heading.finditer(text) if match.start() == 0 or text[match.start() - 1] == "\n"]
    is_path = heading is _PATH
    if not is_path:
        yield "", text[: found[0].start()]
    for match, following in zip(found, [*found[1:], None], strict=True):
        start = match.end() if is_path else match.start()
        yield match[1], text[start : following.start() if following else len(text)]
