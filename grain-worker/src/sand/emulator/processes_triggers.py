"""When messages in a mailbox invoke a function (PraaS 4.3, Table 3). No threads, no clock."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from sand import lists
from sand.emulator.processes_mailbox import Mailbox, Message
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
    together: dict[tuple[str, str | None], list[Message]] = {}
    waiting: dict[tuple[str, str | None], int] = {}
    for function, key, message in mailbox.invoking():
        wanted = spec(function)
        if wanted is None:
            continue
        group = (function, None if wanted.trigger == BATCH else key)
        messages = together.setdefault(group, [])
        messages.append(message)
        if len(messages) >= wanted.count or wanted.trigger == STANDARD:
            waiting.pop(group, None)
            if all(late_ns >= message.at_ns for late_ns in waiting.values()):
                return Due(_firing(function, wanted, messages), None)
            break
        if wanted.timeout_ms:
            waiting.setdefault(group, message.at_ns + wanted.timeout_ms * 1_000_000)
    if not waiting:
        return Due(None, None)
    first = min(waiting, key=lambda group: waiting[group])
    if waiting[first] > now_ns:
        return Due(None, waiting[first])
    late = spec(first[0])
    assert late is not None
    return Due(_firing(first[0], late, _first(mailbox, first, late.count)), None)


def _first(mailbox: Mailbox, group: tuple[str, str | None], count: int) -> list[Message]:
    """:param group: function and key; without a key all of the function's"""
    found = (message for function, key, message in mailbox.invoking() if function == group[0] and group[1] in (None, key))
    return list(islice(found, count))


def _firing(function: str, spec: FunctionSpec, messages: list[Message]) -> Firing:
    key = messages[0].key.partition(":")[2].partition(":")[2]
    alone = spec.trigger not in (MULTI_SOURCE, BATCH)
    return Firing(function, key, messages, messages[0].payload if alone else _list(messages))


def _list(messages: list[Message]) -> Payload:
    items = [(one.payload.content_type, one.payload.bytes or b"") for one in messages]
    if all(kind.startswith(JSON) for kind, _ in items):
        return Payload(JSON, b"[" + b",".join(data or b"null" for _, data in items) + b"]")
    return Payload(LIST, lists.encode(items))
