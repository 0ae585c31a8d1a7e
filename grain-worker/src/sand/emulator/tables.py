"""`context.data.table` and `.lock` in memory: transactions of a partition, by the rules of the data layer's `TableStore`."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass

from sand import values
from sand.emulator.table_values import Outcome, apply
from sand.emulator.versions import Cells, check
from sand.errors import BadRequest, Conflict
from sand.messages import Payload, TableItem, TableOperation, TableReply, TableRequest, TableResult

OPERATIONS = 100
VALUES = 12
SCANNED = 1000
SCANNED_BYTES = 512 * 1024
LEAST_HOLDING_MS, MOST_HOLDING_MS = 100, 3_600_000
_GIVES = ("get", "popFirst", "popLast")
_READS = ("get", "check", "checkLock")


@dataclass
class Lock:
    token: int = 0
    held: bool = False
    until_ns: int = 0


class Partition:
    def __init__(self) -> None:
        self.values: Cells[Payload] = Cells()
        self.locks: dict[str, Lock] = defaultdict(Lock)


class Tables:
    def __init__(self) -> None:
        self._partitions: dict[str, Partition] = defaultdict(Partition)

    def call(self, request: TableRequest) -> TableReply:
        partition = self._partitions[request.partition]
        if len(request.operations) == 1:
            alone = self._alone(partition, request.operations[0])
            if alone is not None:
                return TableReply((alone,))
        return TableReply(_transact(partition, request.operations))

    def _alone(self, partition: Partition, operation: TableOperation) -> TableResult | None:
        name, number = operation.key, operation.number or 0
        match operation.operation:
            case "scan":
                return _scan(partition, operation)
            case "acquire":
                return _acquire(partition, name, number)
            case "renew":
                holding = operation.value and values.from_json(operation.value.bytes or b"0")
                _check_holding(holding)
                held_under(partition, name, number).until_ns = time.monotonic_ns() + holding * 1_000_000
                return TableResult(0)
            case "release":
                lock = partition.locks.get(name)
                ours = lock is not None and lock.held and lock.token == number
                if lock is not None and ours:
                    lock.held = False
                return TableResult(0, number=int(ours))
        return None


def _transact(partition: Partition, operations: tuple[TableOperation, ...]) -> tuple[TableResult, ...]:
    if not 1 <= len(operations) <= OPERATIONS:
        raise BadRequest(f"a transaction has 1 to {OPERATIONS} operations, not {len(operations)}")
    gives = sum(operation.operation in _GIVES for operation in operations)
    if gives > VALUES:
        raise BadRequest(f"a transaction gives at most {VALUES} values, not {gives}")
    if not all(operation.key for operation in operations):
        raise BadRequest("a key must not be empty")
    before = {operation.key: partition.values.get(operation.key) for operation in operations}
    now = {key: found.value if found else None for key, found in before.items()}
    outcomes: list[Outcome] = []
    changed: set[str] = set()
    for operation in operations:
        key = operation.key
        version = before[key].version if before[key] else 0  # type: ignore[union-attr]
        if operation.operation == "checkLock":
            held_under(partition, key, operation.number or 0)
            outcomes.append(Outcome(None, None, None))
            continue
        if operation.operation in ("check", "put", "delete"):
            check(key, version, operation.number if operation.operation != "check" else operation.number or 0)
        outcome = apply(operation, now[key])
        if outcome.value is not now[key]:
            changed.add(key)
        now[key] = outcome.value
        outcomes.append(outcome)
    written = {key: _write(partition, key, now[key]) if key in changed else partition.values.version(key) for key in now}
    results = []
    for operation, outcome in zip(operations, outcomes, strict=True):
        found = before[operation.key]
        version = (found.version if found else 0) if operation.operation in _READS else written[operation.key]
        results.append(TableResult(version, outcome.given, outcome.number))
    return tuple(results)


def _write(partition: Partition, key: str, value: Payload | None) -> int:
    if value is not None:
        return partition.values.put(key, value)
    partition.values.delete(key)
    return 0


def _scan(partition: Partition, operation: TableOperation) -> TableResult:
    items: list[TableItem] = []
    most, size = min(max(operation.number or 0, 1), SCANNED), 0
    for key in partition.values.keys(operation.key, operation.field):
        if len(items) == most or size >= SCANNED_BYTES:
            return TableResult(0, number=1, items=tuple(items))
        found = partition.values.get(key)
        assert found is not None
        items.append(TableItem(key, found.version, found.value))
        size += len(found.value.bytes or b"") + len(key)
    return TableResult(0, number=0, items=tuple(items))


def _acquire(partition: Partition, name: str, holding_ms: int) -> TableResult:
    _check_holding(holding_ms)
    lock, now = partition.locks[name], time.monotonic_ns()
    # As on the platform, a holder is given a twentieth and 50 ms more before another may take the lock over.
    if lock.held and now < lock.until_ns:
        return TableResult(max(1, (lock.until_ns - now) // 1_000_000), number=0)
    lock.token += 1
    lock.held = True
    lock.until_ns = now + (holding_ms + holding_ms // 20 + 50) * 1_000_000
    return TableResult(0, number=lock.token)


def held_under(partition: Partition, name: str, token: int) -> Lock:
    """:raises Conflict: the lock is not held under that token"""
    lock = partition.locks.get(name)
    if lock is not None and lock.held and lock.token == token:
        return lock
    state = "nobody ever held it" if lock is None else f"it is held under {lock.token}" if lock.held else "it is free"
    raise Conflict(
        f'lock "{name}" is not held under token {token} any more: {state} (actual version {lock.token if lock else 0})'
    )


def _check_holding(holding_ms: object) -> None:
    if not isinstance(holding_ms, int) or not LEAST_HOLDING_MS <= holding_ms <= MOST_HOLDING_MS:
        raise BadRequest(f"a lock is held for {LEAST_HOLDING_MS} to {MOST_HOLDING_MS} ms, not {holding_ms}")
