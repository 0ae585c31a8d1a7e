"""What is wrong with stubs: one that says nothing would quietly echo, and a typing error is hard to find in an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from sand.asl.diagnostics import Diagnostic, child

ANSWERS = ("echo", "return", "raise")
_SAYING = (*ANSWERS, "call", "callback", "seconds")
_KNOWN = (*_SAYING, "publish")


def faults(stubs: Any) -> list[Diagnostic]:
    """Of stubs as `Stubs` takes them, or None; pointers lead into them. Members that nobody knows are told by `unknown`."""
    if stubs is None:
        return []
    if not isinstance(stubs, Mapping):
        return [Diagnostic("", "WRONG_TYPE", "The stubs must be an object: each stub by a resource or its last part.")]
    return [found for pointer, stub in _each(stubs) for found in _faults(pointer, stub)]


def unknown(stubs: Any) -> Iterator[tuple[str, str]]:
    """Members of stubs that have no effect, each with the pointer to its stub."""
    for pointer, stub in _each(stubs) if isinstance(stubs, Mapping) else ():
        if isinstance(stub, Mapping):
            yield from ((pointer, name) for name in stub if name not in _KNOWN)


def _each(stubs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, stub in stubs.items():
        if isinstance(stub, list):
            yield from ((f"{child('', name)}/{index}", one) for index, one in enumerate(stub))
        else:
            yield child("", name), stub


def _faults(pointer: str, stub: Any) -> Iterator[Diagnostic]:
    if callable(stub):
        return
    if not isinstance(stub, Mapping):
        yield Diagnostic(pointer, "WRONG_TYPE", 'A stub must be an object, as {"return": …}, or a list of such.')
        return
    if not any(name in stub for name in _SAYING):
        there = f"; it has {', '.join(map(str, stub))}" if stub else ""
        yield Diagnostic(pointer, "MISSING_FIELD", f"The stub says nothing: it needs {', '.join(ANSWERS[:2])} or raise{there}.")
    raised = stub.get("raise", {})
    if not isinstance(raised, Mapping):
        yield Diagnostic(f"{pointer}/raise", "WRONG_TYPE", 'What a stub raises must be an object with "error" and "cause".')
    else:
        for name in ("error", "cause"):
            if not isinstance(raised.get(name), str | None):
                yield Diagnostic(f"{pointer}/raise/{name}", "WRONG_TYPE", f"The {name} that a stub raises must be a string.")
    seconds = stub.get("seconds", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | Decimal) or not 0 <= seconds < 10**12:
        yield Diagnostic(f"{pointer}/seconds", "WRONG_VALUE", "The seconds of a stub must be a number from 0 on.")
