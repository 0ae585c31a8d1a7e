"""`processes:` of sand.yaml and `process:` of a grain, with every default filled in, by the rules of the frontend's readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sand.emulator import quantities
from sand.emulator.sand_yaml import FILE, Add

STANDARD, MULTI_SOURCE, BATCH = "standard", "multi-source", "batch"


@dataclass(frozen=True)
class FunctionSpec:
    """When messages for a function make an invocation of it (PraaS, Table 3), and when its sends count.

    :param count: messages of an invocation
    :param timeout_ms: after which it is invoked with what is there; 0: never
    """

    trigger: str = STANDARD
    count: int = 1
    timeout_ms: int = 0
    atomic: bool = False


@dataclass(frozen=True)
class ProcessSpec:
    """What each cloud process of an application may have; sizes in bytes, times in milliseconds.

    :param concurrency: functions at once, :param queue: invocations that wait
    :param messages: that are unread, of :param bytes: in all
    :param memory: of state
    :param idle_ms: without any function, until it is idle, :param swap_after_ms: that it is idle, until it is swapped out
    """

    concurrency: int = 4
    queue: int = 1_000
    messages: int = 10_000
    bytes: int = 64 << 20
    memory: int = 256 << 20
    idle_ms: int = 1_000
    swap_after_ms: int = 600_000


class ProcessReader:
    def __init__(self, document: dict[str, Any], add: Add) -> None:
        self._document = document
        self._add = add

    def processes(self) -> ProcessSpec:
        node = self._document.get("processes") or {}
        mailbox, at = node.get("mailbox") or {}, "/processes"
        return ProcessSpec(
            node.get("concurrency", ProcessSpec.concurrency),
            node.get("queue", ProcessSpec.queue),
            mailbox.get("messages", ProcessSpec.messages),
            self._quantity(mailbox, "bytes", at + "/mailbox", ProcessSpec.bytes, quantities.size),
            self._quantity(node, "memory", at, ProcessSpec.memory, quantities.size),
            self._quantity(node, "idle", at, ProcessSpec.idle_ms, quantities.millis),
            self._quantity(node, "swap_after", at, ProcessSpec.swap_after_ms, quantities.millis),
        )

    def function(self, node: dict[str, Any], pointer: str) -> FunctionSpec:
        """:param node: a grain's keys, those of `defaults:` among them"""
        own = node.get("process") or {}
        trigger, at = own.get("trigger") or {}, f"{pointer}/process/trigger"
        count = trigger.get("count", 1)
        most = ((self._document.get("processes") or {}).get("mailbox") or {}).get("messages", ProcessSpec.messages)
        if count > most:
            self._add(FILE, f"{at}/count", f"a mailbox has room for {most} messages: {count} are never there")
        timeout = self._quantity(trigger, "timeout", at, 0, quantities.millis)
        return FunctionSpec(trigger.get("type", STANDARD), count, timeout, own.get("atomic", False))

    def _quantity(self, node: dict[str, Any], key: str, at: str, otherwise: int, parse: Callable[[Any], int]) -> int:
        if node.get(key) is None:
            return otherwise
        try:
            return parse(node[key])
        except ValueError as bad:
            self._add(FILE, f"{at}/{key}", str(bad))
            return otherwise
