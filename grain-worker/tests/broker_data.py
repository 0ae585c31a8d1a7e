"""The data calls of the tests' host agent: each kept in memory, as simply as can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import thriftpy2

IDL = Path(__file__).parents[2] / "event/src/main/thrift/sand.thrift"
sand = thriftpy2.load(str(IDL), module_name="sand_thrift")


class Refused(Exception):
    """Answered as a BusError."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


class DataCalls:
    """What grains have stored, for a test to look at."""

    def __init__(self) -> None:
        self.shared: dict[str, tuple[int, Any]] = {}
        self.tables: dict[str, tuple[int, Any]] = {}
        self.table_calls: list[tuple[str, Any]] = []
        self.stored: dict[str, bytes] = {}
        self.locked = False
        self.control_calls: list[Any] = []
        self.controlled: tuple[int, bytes] | None = None

    def table(self, request: Any) -> Any:
        """Notes what was asked for; knows get, put, popFirst and the lock, whose second holder is refused."""
        results = []
        for operation in request.operations:
            self.table_calls.append((request.partition, operation))
            version, value = self.tables.get(operation.key, (0, None))
            result = sand.TableResult(version=version)
            match operation.operation:
                case "get":
                    result.value = value
                case "put" if operation.number not in (None, version):
                    raise Refused("Sand.Conflict", f"{operation.key} has version {version}")
                case "put":
                    self.tables[operation.key] = (version + 1, operation.value)
                    result.version = version + 1
                case "popFirst":
                    result.value = sand.Payload(contentType="application/json", bytes=b"[1]")
                case "acquire":
                    self.locked = not self.locked
                    result.number = 7 if self.locked else 0
                case "scan":
                    after = operation.field or ""
                    keys = sorted(key for key in self.tables if key.startswith(operation.key) and key > after)
                    result.items = [sand.TableItem(key, *self.tables[key]) for key in keys[:1]]
                    result.number = len(keys) > 1
                case _:
                    result.number = 1
            results.append(result)
        return sand.TableReply(results=results)

    def control(self, request: Any) -> Any:
        """What the platform answers, or denies."""
        if self.controlled is None:
            raise Refused("Sand.Denied", "no capability")
        self.control_calls.append(request)
        return sand.ControlReply(status=self.controlled[0], body=self.controlled[1])

    def object(self, request: Any) -> Any:
        found = self.stored.get(request.key)
        match request.operation:
            case "write":
                found = bytearray(found or b"")
                found[request.offset : request.offset + len(request.bytes)] = request.bytes
                self.stored[request.key] = bytes(found)
                return sand.ObjectReply(version=1)
            case "put":
                self.stored[request.key] = request.value.bytes
                return sand.ObjectReply(version=1)
            case "list":
                return sand.ObjectReply(version=0, keys=sorted(self.stored))
            case _ if found is None:
                return sand.ObjectReply(version=0)
            case "read":
                part = found[request.offset : request.offset + request.size]
                return sand.ObjectReply(version=1, size=len(found), contentType="application/octet-stream", bytes=part)
            case _:
                return sand.ObjectReply(version=1, size=len(found), contentType="application/octet-stream")

    def data(self, method: str, argument: Any) -> Any:
        if method == "dataList":
            keys = sorted(key for key in self.shared if key.startswith(argument.prefix) and key > (argument.after or ""))
            return sand.DataListReply(keys=keys[: argument.limit], more=len(keys) > argument.limit)
        version, value = self.shared.get(argument.key, (0, None))
        if method == "dataGet":
            return sand.DataValue(version=version, value=value)
        if method == "dataAdd":
            total = int((value.bytes if value else b"0").decode()) + argument.delta
            self.shared[argument.key] = (version + 1, sand.Payload(contentType="application/json", bytes=b"%d" % total))
            return total
        if argument.ifVersion is not None and argument.ifVersion != version:
            raise Refused("Sand.Conflict", f"{argument.key} has version {version}, not {argument.ifVersion}")
        if method == "dataPut":
            self.shared[argument.key] = (version + 1, argument.value)
            return version + 1
        assert method == "dataDelete"
        return self.shared.pop(argument.key, None) is not None
