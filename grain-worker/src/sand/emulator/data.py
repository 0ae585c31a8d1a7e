"""An application's data in memory, behind the calls that `context.data` makes: shared values, tables, locks, objects."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from sand.emulator.objects import Objects, check_key
from sand.emulator.segments import Segments
from sand.emulator.tables import Tables
from sand.emulator.versions import Cells, Versioned, total
from sand.errors import BadRequest
from sand.messages import DataListReply, DataValue, EnqueueRequest, Payload
from sand.values import JSON

VALUE_BYTES = 64 << 20
LISTED = 1000


class Data:
    """One application's. Each call happens at one moment.

    :param changed: told of every write of a shared value: key, "put" or "delete", and the version, 0 of deletions and counters
    :param enqueue: takes a message for one of the application's queues
    """

    def __init__(
        self,
        segments: Segments,
        changed: Callable[[str, str, int], None] = lambda key, operation, version: None,
        enqueue: Callable[[EnqueueRequest], str] | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._segments = segments
        self._shared: Cells[Payload] = Cells()
        self._tables = Tables()
        self._objects = Objects()
        self._changed = changed
        self._enqueue = enqueue

    def call(self, method: str, request: Any, owner: str) -> Any:
        """What the call answers.

        :param method: as sand.protocol names it
        :param owner: the execution that large values are lent to
        :raises SandError: as the handler gets it
        """
        if method == "enqueue":
            if self._enqueue is None:
                raise BadRequest("there are no queues here")
            return self._enqueue(request._replace(payload=self._segments.inline(request.payload)))
        with self._lock:
            answer = self._answer(method, request, owner)
        if method in ("dataPut", "dataAdd"):
            self._changed(request.key, "put", answer if method == "dataPut" else 0)
        elif method == "dataDelete" and answer:
            self._changed(request.key, "delete", 0)
        return answer

    def value(self, key: str) -> Versioned[Payload] | None:
        """A shared value, whole."""
        with self._lock:
            return self._shared.get(key)

    def _answer(self, method: str, request: Any, owner: str) -> Any:
        match method:
            case "dataGet":
                found = self._shared.get(_key(request.key))
                if found is None:
                    return DataValue(0)
                return DataValue(found.version, self._segments.travelling(found.value, owner))
            case "dataPut":
                return self._shared.put(_key(request.key), self._bounded(request.key, request.value), request.if_version)
            case "dataDelete":
                return self._shared.delete(_key(request.key), request.if_version)
            case "dataList":
                for name in (request.prefix, request.after):
                    if name:
                        check_key(name)
                keys = self._shared.keys(request.prefix, request.after)
                most = min(max(request.limit, 1), LISTED)
                return DataListReply(tuple(keys[:most]), len(keys) > most)
            case "dataAdd":
                found = self._shared.get(_key(request.key))
                count = total(request.key, found.value.bytes if found else None, request.delta)
                self._shared.put(request.key, Payload(JSON, str(count).encode()))
                return count
            case "table":
                return self._tables.call(request)
            case "object":
                value = request.value and self._segments.inline(request.value)
                return self._objects.call(request._replace(value=value))
        raise BadRequest(f"there is no call {method}")

    def _bounded(self, key: str, value: Payload) -> Payload:
        whole = self._segments.inline(value)
        if len(whole.bytes or b"") > VALUE_BYTES:
            raise BadRequest(f'a value of {len(whole.bytes or b"")} bytes for "{key}" is over the limit of {VALUE_BYTES}')
        return whole


def _key(key: str) -> str:
    check_key(key)
    return key
