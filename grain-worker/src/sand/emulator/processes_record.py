"""What the platform's journal has of a function's end, counted as the host agent does (`RecordBytes`): the emulator keeps no
journal, and refuses what that has no room for.
"""

from __future__ import annotations

from collections.abc import Iterable

from sand.messages import Payload, StateWrite

# Of a function's writes, and as much again of the sends of an atomic one.
MOST = 12 << 20
# A larger value is an object beside the record, which has its name.
SMALL_BYTES = 4096
# A control character of a key is six in JSON.
_ESCAPED = 6
# Names of fields, and of an object.
_AROUND = 200
# The fields of a send, its sender's name and its source's.
_AROUND_SEND = 320


def of_writes(writes: Iterable[StateWrite]) -> int:
    return sum(_of(write.key, write.value) for write in writes)


def of_send(destination: str, key: str, payload: Payload) -> int:
    return _AROUND_SEND + _length(destination) + _of(key, payload)


def _of(key: str, value: Payload | None) -> int:
    """:param value: None: the key is deleted"""
    size = 0 if value is None else len(value.bytes or b"")
    # In base64.
    inside = (size + 2) // 3 * 4 if size <= SMALL_BYTES else 0
    return _AROUND + _ESCAPED * _length(key) + inside


def _length(text: str) -> int:
    """As Java counts: in units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)
