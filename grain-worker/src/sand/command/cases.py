"""The cases of `sand asl --batch`: JSON lines, of which one that is wrong costs the others nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sand.asl import document, limits, services, stub_check, stub_names
from sand.asl.diagnostics import Diagnostic
from sand.command import case_text

AWS, PLATFORM = "aws", "platform"
LEVELS = limits.JSON_DEPTH + 1
"""Of a case or a result: its own, around values that have what a document may."""
MEMBERS = ("id", "definition", "input", "inputText", "grains", "redrives", "redriveFrom", "limits")


def read(lines: Iterable[bytes], warn: Callable[[str], None]) -> Iterator[tuple[dict[str, Any], list[Diagnostic]]]:
    """Each with what is wrong with it: of such a one, what is given is its id at most. warn: is told once of each thing
    that has no effect."""
    told: set[str] = set()
    for number, raw in enumerate(lines, 1):
        line = raw.decode("utf-8", "replace")
        if not line.strip():
            continue
        try:
            case, is_unique = _read(line)
            document.decoded(raw)
        except document.NoJson as e:
            code = "TOO_DEEP" if e.is_limit else "INVALID_JSON"
            yield _id(line), [Diagnostic("", code, f"Line {number}: {e}.")]
            continue
        known = {"id": case["id"]} if isinstance(case, dict) and "id" in case else {}
        if not isinstance(case, dict) or "definition" not in case:
            message = f"Line {number} is no case: an object with a definition is needed."
            yield known, [Diagnostic("", "MISSING_FIELD", message)]
            continue
        for useless in _useless(case):
            if useless not in told:
                told.add(useless)
                warn(f"line {number}: {useless}")
        if found := list(_faults(case)):
            yield known, found
            continue
        if not is_unique and not isinstance(case["definition"], str):
            text = case_text.members(line)["definition"]
            # As text an engine refuses it, with the places.
            case["definition"] = case["definition"] if has_unique_keys(text) else text
        case["inputText"] = case_text.member(line, "input")
        for name in unmatched(case["definition"], case.get("grains")):
            useless = f"no task of the definition asks for the stub {name}"
            if useless not in told:
                told.add(useless)
                warn(f"line {number}: {useless}")
        if "grains" in case:
            case["definition"], case["grains"] = stubbed(case["definition"], case["grains"])
        yield case, []


class _Objects:
    """Makes objects of their pairs; is_unique: in none of them a key stood twice."""

    def __init__(self) -> None:
        self.is_unique = True

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        self.is_unique = self.is_unique and len(made) == len(pairs)
        return made


def has_unique_keys(text: str) -> bool:
    """True of what is no JSON, too."""
    objects = _Objects()
    try:
        document.parse(text, objects)
    except document.NoJson:
        return True
    return objects.is_unique


def stubbed(definition: Any, stubs: Any) -> tuple[Any, Any]:
    """As `services.stubbed`; the text of a definition in which a key stands twice is left to an engine, which refuses it."""
    if isinstance(definition, str) and not has_unique_keys(definition):
        return definition, stubs
    return services.stubbed(definition, stubs)


def _read(line: str) -> tuple[Any, bool]:
    """And whether no key stands twice in it. With the limits of values for each member, as if each had a file of its own: a
    definition over them stays text, which an engine refuses. Raises NoJson."""
    objects = _Objects()
    try:
        return document.parse(line, objects), objects.is_unique
    except document.NoJson as e:
        if not e.is_limit or not line.lstrip().startswith("{"):
            raise
    case = {
        name: text if name == "definition" and _is_over(text) else document.parse(text, objects)
        for name, text in case_text.members(line).items()
    }
    return case, objects.is_unique


def _is_over(text: str) -> bool:
    try:
        document.parse(text)
    except document.NoJson as e:
        return e.is_limit
    return False


def _id(line: str) -> dict[str, Any]:
    """That of a case which cannot be read, where there is one to be found."""
    try:
        return {"id": document.parse(case_text.members(line)["id"])}
    except (document.NoJson, KeyError):
        return {}


def unmatched(definition: Any, stubs: Any) -> list[str]:
    """The stubs, by name, that no resource of the definition, an object or its text, can be."""
    if not stubs:
        return []
    tree = stub_names.parsed(definition) if isinstance(definition, str) else definition
    return [] if tree is None else stub_names.without_resource(stub_names.of(tree), stubs)


def _faults(case: dict[str, Any]) -> Iterator[Diagnostic]:
    """With pointers into the case."""
    yield from (replace(found, pointer=f"/grains{found.pointer}") for found in stub_check.faults(case.get("grains")))
    redrives = case.get("redrives", 0)
    if isinstance(redrives, bool) or not isinstance(redrives, int) or redrives < 0:
        yield Diagnostic("/redrives", "WRONG_VALUE", "The redrives of a case must be a number from 0 on.")
    if not isinstance(case.get("redriveFrom"), str | None):
        yield Diagnostic("/redriveFrom", "WRONG_TYPE", "What a redrive begins from must be the name of a state.")


def _useless(case: dict[str, Any]) -> Iterator[str]:
    for name in case:
        if name not in MEMBERS:
            yield f"the member {name} of a case has no effect"
    if case.get("limits", AWS) not in (AWS, PLATFORM):
        yield f'the limits of a case are "{AWS}" or "{PLATFORM}"; others have no effect'
    for pointer, name in stub_check.unknown(case.get("grains")):
        yield f"the member {name} of a stub has no effect (/grains{pointer})"
