"""`queues:` and `triggers:` of sand.yaml, with every default filled in, by the rules of the frontend's TriggerReader."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sand.emulator import quantities
from sand.emulator.sand_yaml import FILE, Add
from sand.emulator.schedules import LEAST_INTERVAL_MS, Schedule

MESSAGE_BYTES = 256 << 10
GROUP_CHARS = 256
LONGEST_MS = 30 * 86_400_000
# `linger: forever`: a group's messages wait until there are as many as make an invocation.
FOREVER, FOREVER_MS = "forever", 1 << 52
CATCH_UP_MS = 3_600_000


@dataclass(frozen=True)
class QueueSpec:
    """A durable queue; times in milliseconds. What each field means is in docs/TRIGGERS.md, "Keys"."""

    name: str
    target: str
    concurrency: int = 10
    group_concurrency: int = 1
    batch: int = 1
    linger_ms: int = 0
    retries: int = 2
    backoff_ms: int = 1_000
    max_backoff_ms: int = 300_000
    timeout_ms: int = 60_000
    depth: int = 10_000
    on_failure: str | None = None

    def pause_ms(self, attempt: int) -> int:
        """Before the attempt of that number, from 2 on."""
        return min(self.backoff_ms << min(max(attempt - 2, 0), 40), self.max_backoff_ms)

    def document(self) -> dict[str, Any]:
        return {
            "name": self.name, "target": self.target, "concurrency": self.concurrency,
            "groupConcurrency": self.group_concurrency, "batch": self.batch, "lingerMs": self.linger_ms,
            "retries": self.retries, "backoffMs": self.backoff_ms, "maxBackoffMs": self.max_backoff_ms,
            "timeoutMs": self.timeout_ms, "depth": self.depth, "onFailure": self.on_failure,
        }  # fmt: skip


@dataclass(frozen=True)
class TriggerSpec:
    """What makes messages by itself; they go through a queue of its own.

    :param schedule: None: it is about data
    :param prefix: of the keys that it watches
    :param operations: "put", "delete"
    :param input: goes with each fire; None: nothing does
    """

    queue: QueueSpec
    schedule: Schedule | None
    prefix: str | None
    operations: tuple[str, ...]
    input: tuple[Any, ...]
    armed: bool
    catch_up_ms: int

    @property
    def name(self) -> str:
        return self.queue.name

    def watches(self, key: str, operation: str) -> bool:
        return self.prefix is not None and key.startswith(self.prefix) and operation in self.operations


class TriggerReader:
    def __init__(self, document: dict[str, Any], is_target: Callable[[str], bool], add: Add) -> None:
        self._document = document
        self._is_target = is_target
        self._add = add

    def queues(self) -> dict[str, QueueSpec]:
        given = self._document.get("queues") or {}
        return {name: self._queue(name, node, f"/queues/{name}") for name, node in sorted(given.items())}

    def triggers(self) -> dict[str, TriggerSpec]:
        found = {}
        for name, node in sorted((self._document.get("triggers") or {}).items()):
            pointer = f"/triggers/{name}"
            if name in (self._document.get("queues") or {}):
                self._add(FILE, pointer, "a queue has this name already: a trigger has a queue of its own")
            found[name] = self._trigger(name, node, pointer)
        return found

    def _trigger(self, name: str, node: dict[str, Any], pointer: str) -> TriggerSpec:
        queue, armed, data = self._queue(name, node, pointer), node.get("armed", True), node.get("data")
        if data is not None:
            return TriggerSpec(queue, None, data["prefix"], tuple(data.get("operations", ("put", "delete"))), (), armed, 0)
        given = (node["input"],) if "input" in node else ()
        size = len(json.dumps(node.get("input"), ensure_ascii=False, separators=(",", ":")))
        if given and size > MESSAGE_BYTES // 2:
            self._add(FILE, f"{pointer}/input", f"it has {size} bytes, the limit is {MESSAGE_BYTES // 2}")
        catch_up = self._millis(node, "catchUp", pointer, CATCH_UP_MS)
        return TriggerSpec(queue, self._schedule(node, pointer), None, (), given, armed, catch_up)

    def _schedule(self, node: dict[str, Any], pointer: str) -> Schedule:
        try:
            every = quantities.millis(node["every"]) if "every" in node else 0
            schedule = Schedule(node.get("cron"), node.get("timezone", "UTC"), every)
            if schedule.next(0, 0) is None:
                raise ValueError(f"'{schedule.cron}' names no time that ever comes")
            return schedule
        except ValueError as wrong:
            self._add(FILE, f"{pointer}/{'cron' if 'cron' in node else 'every'}", str(wrong))
            return Schedule(every_ms=LEAST_INTERVAL_MS)

    def _queue(self, name: str, node: dict[str, Any], pointer: str) -> QueueSpec:
        for key in ("target", "onFailure"):
            if key in node and not self._is_target(node[key]):
                self._add(FILE, f"{pointer}/{key}", f"there is no grain or workflow '{node[key]}'")
        backoff = self._millis(node, "backoff", pointer, 1_000)
        return QueueSpec(
            name,
            node["target"],
            node.get("concurrency", 10),
            node.get("groupConcurrency", 1),
            node.get("batch", 1),
            FOREVER_MS if node.get("linger") == FOREVER else self._millis(node, "linger", pointer, 0),
            node.get("retries", 2),
            backoff,
            max(backoff, self._millis(node, "maxBackoff", pointer, 300_000)),
            max(1, self._millis(node, "timeout", pointer, 60_000)),
            node.get("depth", 10_000),
            node.get("onFailure"),
        )

    def _millis(self, node: dict[str, Any], key: str, pointer: str, otherwise: int) -> int:
        try:
            value = quantities.millis(node[key]) if key in node else otherwise
        except ValueError as bad:
            self._add(FILE, f"{pointer}/{key}", str(bad))
            return otherwise
        if value > LONGEST_MS:
            self._add(FILE, f"{pointer}/{key}", f"the longest is {LONGEST_MS}ms, not {value}ms")
        return value
