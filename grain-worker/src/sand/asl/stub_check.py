"""What is wrong with stubs: one that says nothing would quietly echo, and a typing error is hard to find in an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from sand.asl.diagnostics import Diagnostic, child

ANSWERS = ("echo", "return", "raise")
REPORTS = ("success", "failure", "heartbeat")
"""What is done with the token of a task that waits for one."""
_SAYING = (*ANSWERS, "callback", "seconds")
_KNOWN = (*_SAYING, "call", "publish")


def faults(stubs: Any) -> list[Diagnostic]:
    """Of stubs as `Stubs` takes them, or None; pointers lead into them. Members that nobody knows are told by `unknown`."""
    if stubs is None:
        return []
    if not isinstance(stubs, Mapping):
        return [Diagnostic("", "WRONG_TYPE", "The stubs must be an object: each stub by a resource or its last part.")]
    return [found for pointer, stub in _each(stubs) for found in _faults(pointer, stub)]


def callback_faults(callbacks: Any) -> list[Diagnostic]:
    """Of what is done with tokens, by what stubs are called by, or None; each as the "callback" of a stub."""
    if callbacks is None:
        return []
    if not isinstance(callbacks, Mapping):
        return [Diagnostic("", "WRONG_TYPE", "The callbacks must be an object: each by the grain whose task waits.")]
    return [found for name, said in callbacks.items() for found in callback(child("", name), said)]


def unknown(stubs: Any) -> Iterator[tuple[str, str]]:
    """Members of stubs that have no effect, each with the pointer to what it stands in."""
    for pointer, stub in _each(stubs) if isinstance(stubs, Mapping) else ():
        yield from _unknown(pointer, stub, _KNOWN)
        if isinstance(stub, Mapping):
            yield from _unknown(f"{pointer}/raise", stub.get("raise"), ("error", "cause"))
            for at, said in _listed(f"{pointer}/callback", stub.get("callback")):
                yield from _unknown(at, said, (*REPORTS, "seconds"))
                yield from _unknown(
                    f"{at}/failure", said.get("failure") if isinstance(said, Mapping) else None, ("error", "cause")
                )


def _unknown(pointer: str, value: Any, known: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield from ((pointer, name) for name in (value if isinstance(value, Mapping) else ()) if name not in known)


def _each(stubs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, stub in stubs.items():
        yield from _listed(child("", name), stub)


def _listed(pointer: str, one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, list):
        yield from ((f"{pointer}/{index}", each) for index, each in enumerate(one))
    else:
        yield pointer, one


def _faults(pointer: str, stub: Any) -> Iterator[Diagnostic]:
    if callable(stub):
        return
    if not isinstance(stub, Mapping):
        yield Diagnostic(pointer, "WRONG_TYPE", 'A stub must be an object, as {"return": …}, or a list of such.')
        return
    if not any(name in stub for name in _SAYING) and not callable(stub.get("call")):
        there = f"; it has {', '.join(map(str, stub))}" if stub else ""
        yield Diagnostic(pointer, "MISSING_FIELD", f"The stub says nothing: it needs {', '.join(ANSWERS[:2])} or raise{there}.")
    yield from _failure(f"{pointer}/raise", stub.get("raise", {}), "a stub raises")
    if "callback" in stub:
        yield from callback(f"{pointer}/callback", stub["callback"])
    yield from _seconds(f"{pointer}/seconds", stub, "a stub")
    published = stub.get("publish", [])
    if not isinstance(published, list) or not all(map(_is_event, published)):
        message = 'What a stub publishes must be a list of objects with "grain", a string, and "payload".'
        yield Diagnostic(f"{pointer}/publish", "WRONG_TYPE", message)


def callback(pointer: str, said: Any) -> Iterator[Diagnostic]:
    """Of the "callback" of a stub: what is done with the token."""
    if callable(said):
        return
    for at, one in _listed(pointer, said):
        if not isinstance(one, Mapping):
            yield Diagnostic(at, "WRONG_TYPE", 'A callback must be an object, as {"success": …}, or a list of such.')
            continue
        if sum(name in one for name in REPORTS) != 1:
            there = f"; it has {', '.join(map(str, one))}" if one else ""
            message = f"A callback must have one of {', '.join(REPORTS[:2])} and heartbeat{there}."
            yield Diagnostic(at, "WRONG_VALUE" if any(name in one for name in REPORTS) else "MISSING_FIELD", message)
        yield from _failure(f"{at}/failure", one.get("failure", {}), "a callback brings")
        if one.get("heartbeat", True) is not True:
            yield Diagnostic(f"{at}/heartbeat", "WRONG_VALUE", "The heartbeat of a callback must be true.")
        yield from _seconds(f"{at}/seconds", one, "a callback")


def _failure(pointer: str, failure: Any, what: str) -> Iterator[Diagnostic]:
    if not isinstance(failure, Mapping):
        yield Diagnostic(pointer, "WRONG_TYPE", f'The failure that {what} must be an object with "error" and "cause".')
        return
    for name in ("error", "cause"):
        if not isinstance(failure.get(name), str | None):
            yield Diagnostic(f"{pointer}/{name}", "WRONG_TYPE", f"The {name} that {what} must be a string.")


def _seconds(pointer: str, said: Mapping[str, Any], what: str) -> Iterator[Diagnostic]:
    seconds = said.get("seconds", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | Decimal) or not 0 <= seconds < 10**12:
        yield Diagnostic(pointer, "WRONG_VALUE", f"The seconds of {what} must be a number from 0 on.")


def _is_event(published: Any) -> bool:
    return isinstance(published, Mapping) and isinstance(published.get("grain"), str) and "payload" in published
