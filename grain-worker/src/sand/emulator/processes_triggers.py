"""When messages in a mailbox invoke a function (PraaS 4.3, Table 3). No threads, no clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sand import lists
from sand.emulator.processes_mailbox import Invoking, Mailbox, Message, invocation
from sand.emulator.processes_specs import BATCH, MULTI_SOURCE, STANDARD, FunctionSpec
from sand.messages import Payload
from sand.values import JSON, LIST


class Firing(NamedTuple):
    """An invocation that is due. :param key: its invocation key; of a batch, that of its oldest message"""

    function: str
    key: str
    messages: list[Message]
    payload: Payload


class Due(NamedTuple):
    """:param next_ns: when one becomes due if no more messages come; None: none does"""

    firing: Firing | None
    next_ns: int | None


def due(mailbox: Mailbox, spec: Callable[[str], FunctionSpec | None], now_ns: int) -> Due:
    """Of several that are complete or late, the one that has been so the longest.

    :param spec: of a function; None: there is none of that name (any more), and its messages stay
    """
    complete: tuple[str, FunctionSpec, list[Message]] | None = None
    late: tuple[int, str, FunctionSpec] | None = None
    for function, waiting in mailbox.invoking.items():
        wanted = spec(function)
        if wanted is None:
            continue
        messages = _complete(waiting, wanted)
        if messages and (complete is None or messages[-1].order < complete[2][-1].order):
            complete = function, wanted, messages
        if wanted.timeout_ms and wanted.trigger != STANDARD:
            late_ns = waiting.oldest.at_ns + wanted.timeout_ms * 1_000_000
            if late is None or late_ns < late[0]:
                late = late_ns, function, wanted
    if complete is not None and (late is None or late[0] >= complete[2][-1].at_ns):
        return Due(_firing(*complete), None)
    if late is None:
        return Due(None, None)
    late_ns, function, wanted = late
    if late_ns > now_ns:
        return Due(None, late_ns)
    waiting = mailbox.invoking[function]
    there = waiting.first(wanted.count)
    if wanted.trigger != BATCH:
        there = waiting.of_key(invocation(waiting.oldest.key)[1], wanted.count)
    return Due(_firing(function, wanted, there), None)


def _complete(waiting: Invoking, spec: FunctionSpec) -> list[Message]:
    """Messages of an invocation for which all are there; none: not yet."""
    if spec.trigger == MULTI_SOURCE:
        return waiting.complete(spec.count)
    count = 1 if spec.trigger == STANDARD else spec.count
    return waiting.first(count) if len(waiting) >= count else []


def _firing(function: str, spec: FunctionSpec, messages: list[Message]) -> Firing:
    _, key = invocation(messages[0].key)
    alone = spec.trigger not in (MULTI_SOURCE, BATCH)
    return Firing(function, key, messages, messages[0].payload if alone else _list(messages))


def _list(messages: list[Message]) -> Payload:
    items = [(one.payload.content_type, one.payload.bytes or b"") for one in messages]
    if all(kind.startswith(JSON) for kind, _ in items):
        return Payload(JSON, b"[" + b",".join(data or b"null" for _, data in items) + b"]")
    return Payload(LIST, lists.encode(items))
