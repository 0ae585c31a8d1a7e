"""`/openapi.yaml`: the platform's document, with the operations that the emulator has and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

_PATH = re.compile(r"^  (/\S*):\n", re.MULTILINE)
_METHOD = re.compile(r"^    (get|put|post|patch|delete|head|options):\n", re.MULTILINE)
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
    for template, block in _named(_PATH.split(paths)[1:]):
        shared, *operations = _METHOD.split(block)
        kept = [f"    {method}:\n{each}" for method, each in _named(operations) if is_served(method.upper(), template)]
        if kept:
            yield f"  {template}:\n{shared}{''.join(kept)}"


def _named(parts: list[str]) -> Iterator[tuple[str, str]]:
    """Blocks with their headings' names, of what a split by these gives."""
    return zip(parts[::2], parts[1::2], strict=True)
