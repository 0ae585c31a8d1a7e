"""`context.data.table(…)` and `context.data.lock(…)`: small values that many grains change at once.

A table's partition is linearizable: every operation takes effect at one moment between its call and its return, and a
transaction's operations all at the same one, or none of them. Values are JSON, bytes or arrays of up to 64 KiB; a list and
a set are JSON arrays, a map is a JSON object, a counter a whole number: each can also be read and written whole.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from sand import values
from sand.atomic import AtomicList, AtomicMap, AtomicSet
from sand.errors import Conflict, TooLarge, Unavailable
from sand.messages import Payload, TableOperation, TableRequest, TableResult
from sand.protocol import TABLE

_LOOK_AGAIN_SECONDS = (0.01, 0.25)


class Table:
    """One partition of the application's tables. `lock.table` is the same, with each write conditional on the lock."""

    __slots__ = ("_context", "_lock", "partition")

    def __init__(self, context: Any, partition: str, lock: Lock | None = None) -> None:
        self._context = context
        self._lock = lock
        self.partition = partition

    def get(self, key: str, default: Any = None) -> Any:
        return self.versioned(key, default)[0]

    def versioned(self, key: str, default: Any = None) -> tuple[Any, int]:
        """Value and version; version 0 and the default when there is none."""
        (result,) = self._call(TableOperation("get", key))
        return (default if result.value is None else self._decode(result.value)), result.version

    def put(self, key: str, value: Any, if_version: int | None = None) -> int:
        """The new version.

        :param if_version: the version that the value must have now; 0: there must be none
        :raises Conflict: it has another, or the lock is lost; nothing was written
        """
        with self.transaction() as all_of_it:
            put = all_of_it.put(key, value, if_version)
        return put.version

    def delete(self, key: str, if_version: int | None = None) -> bool:
        """Whether there was one."""
        return self._one("delete", key, number=if_version).number == 1

    def items(self, prefix: str = "", after: str | None = None) -> Iterator[tuple[str, Any, int]]:
        """Key, value and version in byte order of the keys. Read page by page: not all as of one moment."""
        more = True
        while more:
            (page,) = self._call(TableOperation("scan", prefix, None, 1000, after))
            for item in page.items or ():
                after = item.key
                yield item.key, self._decode(item.value), item.version
            more = page.number == 1

    def counter(self, key: str, delta: int = 1) -> int:
        """Adds and returns the sum; an absent one counts as 0."""
        return self._one("add", key, number=delta).number or 0

    def list(self, key: str) -> AtomicList:
        return AtomicList(self, key)

    def map(self, key: str) -> AtomicMap:
        return AtomicMap(self, key)

    def set(self, key: str) -> AtomicSet:
        return AtomicSet(self, key)

    def transaction(self) -> Transaction:
        """`with table.transaction() as t: …` does all that is asked of `t` at the end of the block, or nothing of it."""
        return Transaction(self)

    def _one(self, operation: str, key: str, value: Any = None, number: int | None = None, field: str | None = None) -> Pending:
        transaction = self.transaction()
        pending = transaction._add(operation, key, value, number, field)
        transaction.commit()
        return pending

    def _call(self, *operations: TableOperation) -> tuple[TableResult, ...]:
        return self._context._connection.call(TABLE, TableRequest(self.partition, operations)).results

    def _decode(self, payload: Payload) -> Any:
        return values.decode(payload, self._context.segments)


class Pending:
    """What an operation of a transaction gives, once that is done."""

    __slots__ = ("number", "value", "version")

    def __init__(self) -> None:
        self.value: Any = None
        self.version = 0
        self.number: int | None = None


class Transaction:
    """Operations on keys of one partition. Reads see what comes before them in it."""

    __slots__ = ("_operations", "_pending", "_table")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._operations: list[TableOperation] = []
        self._pending: list[Pending] = []
        if table._lock is not None:
            self.check_lock(table._lock.name, table._lock.token)

    def get(self, key: str) -> Pending:
        return self._add("get", key)

    def check(self, key: str, version: int) -> None:
        """All of it fails with Conflict unless the key is at that version; 0: absent."""
        self._add("check", key, number=version)

    def check_lock(self, name: str, token: int) -> None:
        """All of it fails with Conflict unless the partition's lock of that name is held under that token, by whomever."""
        self._add("checkLock", name, number=token)

    def put(self, key: str, value: Any, if_version: int | None = None) -> Pending:
        encoded = self._encode(key, value)
        return self._append(TableOperation("put", key, encoded, if_version))

    def delete(self, key: str, if_version: int | None = None) -> Pending:
        return self._add("delete", key, number=if_version)

    def add(self, key: str, delta: int = 1) -> Pending:
        return self._add("add", key, number=delta)

    def append(self, key: str, *elements: Any) -> Pending:
        return self._add("append", key, elements)

    def prepend(self, key: str, *elements: Any) -> Pending:
        return self._add("prepend", key, elements)

    def pop_first(self, key: str, count: int = 1) -> Pending:
        return self._add("popFirst", key, number=count)

    def pop_last(self, key: str, count: int = 1) -> Pending:
        return self._add("popLast", key, number=count)

    def remove(self, key: str, element: Any) -> Pending:
        return self._append(TableOperation("remove", key, Payload(values.JSON, values.to_json(element))))

    def keep_first(self, key: str, count: int) -> Pending:
        return self._add("keepFirst", key, number=count)

    def keep_last(self, key: str, count: int) -> Pending:
        return self._add("keepLast", key, number=count)

    def set_field(self, key: str, field: str, value: Any) -> Pending:
        return self._append(TableOperation("setField", key, Payload(values.JSON, values.to_json(value)), None, field))

    def remove_field(self, key: str, field: str) -> Pending:
        return self._add("removeField", key, field=field)

    def add_members(self, key: str, *members: Any) -> Pending:
        return self._add("addMembers", key, members)

    def remove_members(self, key: str, *members: Any) -> Pending:
        return self._add("removeMembers", key, members)

    def commit(self) -> None:
        """:raises Conflict: a check or a given version does not hold, or the lock is lost: nothing was done"""
        if len(self._pending) == (0 if self._table._lock is None else 1):
            return
        results = self._table._call(*self._operations)
        for pending, result in zip(self._pending, results, strict=True):
            pending.version = result.version
            pending.number = result.number
            pending.value = None if result.value is None else self._table._decode(result.value)

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, failed: Any, *_: object) -> None:
        if failed is None:
            self.commit()

    def _add(self, operation: str, key: str, value: Any = None, number: int | None = None, field: str | None = None) -> Pending:
        encoded = None if value is None else Payload(values.JSON, values.to_json(value))
        return self._append(TableOperation(operation, key, encoded, number, field))

    def _append(self, operation: TableOperation) -> Pending:
        self._operations.append(operation)
        self._pending.append(Pending())
        return self._pending[-1]

    def _encode(self, key: str, value: Any) -> Payload:
        context = self._table._context
        encoded = values.encode(value, context.invocation_id, f"the value for {key}", context.segments)
        if encoded.bytes is None:
            size = encoded.reference.size if encoded.reference else 0
            raise TooLarge(
                f"the value for {key} has {size} bytes; the limit in a table is {values.INLINE_BYTES}: use data.objects"
            )
        return encoded


class Lock:
    """A timed lock (FaaSKeeper 2.2): held until released, or until somebody has seen it unrenewed for its holding time.

    Whoever holds it for too long loses it without a word: what must not happen then is to be written through `lock.table`,
    whose writes are refused once the lock is another's. `token` is higher than that of every holder before.
    """

    __slots__ = ("_holding_ms", "_plain", "_until_ns", "_wait", "name", "token")

    def __init__(self, table: Table, name: str, seconds: float, wait: float) -> None:
        self.name = name
        self.token = 0
        self._plain = table
        self._holding_ms = int(seconds * 1000)
        self._wait = wait
        self._until_ns = 0

    @property
    def table(self) -> Table:
        """The lock's partition; each write through it happens under the lock or not at all."""
        return Table(self._plain._context, self._plain.partition, self)

    def acquire(self) -> bool:
        """Waits as long as it was told to; False when another holds it still."""
        give_up = time.monotonic() + self._wait
        pause = _LOOK_AGAIN_SECONDS[0]
        while True:
            asked_ns = time.monotonic_ns()
            by = self._plain._context.invocation_id
            (result,) = self._plain._call(TableOperation("acquire", self.name, None, self._holding_ms, by))
            if result.number:
                self.token = result.number
                # Counted from before it was asked for, so that it is over here before it is over for anybody else.
                self._until_ns = asked_ns + self._holding_ms * 1_000_000
                return True
            left = give_up - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, pause, result.version / 1000))
            pause = min(2 * pause, _LOOK_AGAIN_SECONDS[1])

    def remaining_ms(self) -> int:
        return max(0, (self._until_ns - time.monotonic_ns()) // 1_000_000)

    def renew(self) -> None:
        """:raises Conflict: it was lost"""
        asked_ns = time.monotonic_ns()
        holding = Payload(values.JSON, values.to_json(self._holding_ms))
        self._plain._call(TableOperation("renew", self.name, holding, self.token))
        self._until_ns = asked_ns + self._holding_ms * 1_000_000

    def release(self) -> bool:
        """False when it was lost already."""
        self._until_ns = 0
        (result,) = self._plain._call(TableOperation("release", self.name, None, self.token))
        return result.number == 1

    def __enter__(self) -> Lock:
        if not self.acquire():
            raise Conflict(f"lock {self.name} is held by another")
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.release()
        except Unavailable:
            # It ends by itself; what the block did or raised is more important.
            self._until_ns = 0
