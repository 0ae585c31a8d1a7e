"""Makes event/vectors/protocol/*.json: frames of every call with the values in them, written by thriftpy2 from the IDL.

Neither our codec nor the Java one has a part in them; both are tested against them. `python tests/vectors.py` writes
them anew after the IDL has changed; a test checks that the files are what this writes.

A file: {"method", "frames": [{"name", "kind": call|oneway|reply, "sequence", "frame": hex with its length, "value"}]}.
A value: the structure's fields by their IDL names, absent ones left out, binary as {"hex": …}; a reply's value is
{"success": …} or {"error": …}, empty for a void call.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from broker_data import IDL, sand
from thriftpy2.protocol.binary import TBinaryProtocol
from thriftpy2.thrift import TMessageType, TType
from thriftpy2.transport import TMemoryBuffer

FOLDER = IDL.parents[3] / "vectors/protocol"
_EXECUTION = "01JD3Q8Z9X7N4T2M6K5R1H0GWY"


def _payloads() -> dict[str, Any]:
    return {
        "json": sand.Payload(contentType="application/json", bytes=b'{"n":1,"text":"\xc3\xa9"}'),
        "bytes": sand.Payload(contentType="application/octet-stream", bytes=bytes(range(256))),
        "empty": sand.Payload(contentType="application/octet-stream", bytes=b""),
        "large": sand.Payload(contentType="application/x-npy", reference=sand.DataReference(object="o-17", size=104857728)),
    }


def _event(payload: Any, **fields: Any) -> Any:
    given = {"attempt": 1, "remainingMs": 29_999, **fields}
    return sand.EventMessage(
        schema=1, eventId=f"{_EXECUTION}/main", executionId=_EXECUTION, grain="resize", payload=payload, **given
    )


def _configuration() -> Any:
    return sand.GrainConfiguration(
        grain="resize", entry="handler:handle", path=["/run/sand/s0123456789/app/grains/resize", "/run/sand/s0123456789/app"],
        isolation="request", preload="auto", environment={"LANG": "C.UTF-8"}, instanceMemoryBytes=1 << 28,
        application="image-pipeline", version="3", grains=["resize", "store"], maxRequests=0, secrets={"API_KEY": "hé"},
        memoryByDefault=True, unopened={"OTHER_KEY": "closed with another key"},
    )  # fmt: skip


def cases() -> dict[str, list[tuple[str, str, Any]]]:
    """Method to (name, kind, value); the kind "error" is a reply with a BusError."""
    payloads = _payloads()
    finish = {"eventId": f"{_EXECUTION}/main", "attempt": 2, "startedNs": 123_456_789_012, "endedNs": 123_456_999_999}
    traced = {"attempt": 3, "remainingMs": 1 << 40, "traceparent": "00-a-b-01"}
    publications = [sand.Publication(grain="store", payload=one) for one in payloads.values()]
    event_id = f"{_EXECUTION}/Map#3"
    attempt = {"eventId": event_id, "attempt": 2}
    writes = [
        *(sand.StateWrite(key=f"é/{name}", value=payload) for name, payload in payloads.items()),
        sand.StateWrite(key="gone"),
    ]
    commands = [
        sand.Command(
            claim=sand.ClaimCommand(application="image-pipeline", version="3", preload=["numpy"], path=["/app", "/lib"])
        ),
        sand.Command(startWorker=sand.StartWorkerCommand(worker="w1", configuration=_configuration())),
        sand.Command(spawn=sand.SpawnCommand(instances=["i1", "i2"])),
        sand.Command(kill=sand.KillCommand(pid=4711)),
        sand.Command(stop=sand.StopCommand()),
        sand.Command(stop=sand.StopCommand(worker="w1")),
        sand.Command(secrets=sand.SecretsCommand(secrets={"API_KEY": "hé"}, unopened={"OTHER_KEY": "closed"})),
    ]
    reports = {
        "ready": sand.Report(workerReady=sand.WorkerReadyReport(worker="w1", pid=7, importUs=15_000, note="a note")),
        "failed": sand.Report(
            workerFailed=sand.WorkerFailedReport(worker="w1", error="ImportError", cause="no", stackTrace="…")
        ),
        "worker-exited": sand.Report(workerExited=sand.WorkerExitedReport(worker="w1", exitCode=0, signal=9)),
        "exited": sand.Report(
            instanceExited=sand.InstanceExitedReport(instance="i1", exitCode=3, signal=0, cpuUs=812, peakMemoryBytes=1 << 33)
        ),
        "fork-failed": sand.Report(instanceForkFailed=sand.InstanceForkFailedReport(instance="i1", cause="EAGAIN")),
    }
    return {
        "take": [
            ("request", "call", sand.TakeRequest(instance="i1", pid=42)),
            *((f"event-{name}", "reply", sand.TakeReply(event=_event(payload))) for name, payload in payloads.items()),
            ("event-traced", "reply", sand.TakeReply(event=_event(payloads["json"], **traced))),
            ("event-in-process", "reply", sand.TakeReply(event=_event(payloads["json"], process="cart~7"))),
            ("event-traced-in-process", "reply", sand.TakeReply(event=_event(payloads["bytes"], process="p", **traced))),
            ("event-told", "reply", sand.TakeReply(event=_event(payloads["json"], process="p", state=writes))),
            ("event-large-told", "reply", sand.TakeReply(
                event=_event(payloads["large"], process="p", state=writes[:1], **traced))),
            ("nothing", "reply", sand.TakeReply()),
            ("denied", "error", sand.BusError(error="Sand.Denied", message="a stale instance")),
        ],
        "finish": [
            *((name, "oneway", sand.FinishRequest(output=payload, **finish)) for name, payload in payloads.items()),
            ("published", "oneway", sand.FinishRequest(output=payloads["json"], published=publications, **finish)),
            ("state-writes", "oneway", sand.FinishRequest(output=payloads["json"], stateWrites=writes, **finish)),
            ("published-and-state-writes", "oneway", sand.FinishRequest(
                output=payloads["large"], published=publications[:1], stateWrites=writes[:1], **finish)),
        ],
        "fail": [
            ("traced", "oneway", sand.FailRequest(**finish, error="ValueError", cause="é", stackTrace="Traceback …\n")),
            ("untraced", "oneway", sand.FailRequest(**finish, error="Sand.Unserializable", cause="a set")),
        ],
        "publish": [
            ("request", "call", sand.PublishRequest(eventId=event_id, attempt=1, publication=publications[0])),
            ("done", "reply", None),
            ("refused", "error", sand.BusError(error="Sand.TooLarge", message="too many")),
        ],
        "dataGet": [
            ("request", "call", sand.DataGetRequest(key="thumbnails/a")),
            ("found", "reply", sand.DataValue(version=9, value=payloads["large"])),
            ("none", "reply", sand.DataValue(version=0)),
        ],
        "dataPut": [
            ("any", "call", sand.DataPutRequest(key="k", value=payloads["json"])),
            ("conditional", "call", sand.DataPutRequest(key="k", value=payloads["bytes"], ifVersion=0)),
            ("version", "reply", 1 << 40),
            ("conflict", "error", sand.BusError(error="Sand.Conflict", message="it has version 4")),
        ],
        "dataDelete": [
            ("request", "call", sand.DataDeleteRequest(key="k", ifVersion=4)),
            ("was", "reply", True),
            ("was-not", "reply", False),
        ],
        "dataList": [
            ("request", "call", sand.DataListRequest(prefix="a/", after="a/é", limit=100)),
            ("keys", "reply", sand.DataListReply(keys=["a/ê", "a/z"], more=True)),
            ("none", "reply", sand.DataListReply(keys=[], more=False)),
        ],
        "control": [
            ("request", "call", sand.ControlRequest(operation="moveAlias", ticket="AQ", arguments=b'{"body":{"version":3}}')),
            ("answer", "reply", sand.ControlReply(status=200, body=b"{}")),
            ("none", "reply", sand.ControlReply(status=204, body=b"")),
            ("denied", "error", sand.BusError(error="Sand.Denied", message="no capability")),
        ],
        "dataAdd": [("request", "call", sand.DataAddRequest(key="n", delta=-3)), ("value", "reply", -2)],
        "table": [
            ("request", "call", sand.TableRequest(partition="p", operations=[
                sand.TableOperation(operation="checkLock", key="leader", number=7),
                sand.TableOperation(operation="put", key="k", value=payloads["json"], number=0),
                sand.TableOperation(operation="setField", key="m", value=payloads["json"], field="é")])),
            ("results", "reply", sand.TableReply(results=[
                sand.TableResult(version=3), sand.TableResult(version=1 << 40, value=payloads["bytes"], number=-1)])),
            ("items", "reply", sand.TableReply(results=[
                sand.TableResult(version=0, number=1, items=[sand.TableItem(key="k", version=9, value=payloads["json"])])])),
            ("conflict", "error", sand.BusError(error="Sand.Conflict", message="lock lost")),
        ],
        "object": [
            ("put", "call", sand.ObjectRequest(operation="put", key="k", value=payloads["large"], ifVersion=0)),
            ("write", "call", sand.ObjectRequest(
                operation="write", key="k", offset=1 << 33, bytes=b"\0\xff", contentType="image/png")),
            ("list", "call", sand.ObjectRequest(operation="list", key="a/", size=100, after="a/b")),
            ("range", "reply", sand.ObjectReply(
                version=4, size=1 << 33, contentType="image/png", bytes=b"\1", sha256="ab")),
            ("none", "reply", sand.ObjectReply(version=0)),
            ("keys", "reply", sand.ObjectReply(version=0, keys=["a/c"])),
        ],
        "enqueue": [
            ("request", "call", sand.EnqueueRequest(
                eventId=event_id, number=1, queue="orders", payload=payloads["json"], group="a",
                remainingMs=29_999)),
            ("no-group", "call", sand.EnqueueRequest(eventId=event_id, number=0, queue="orders", payload=payloads["bytes"])),
            ("id", "reply", "01JD0Z5W3M8Q6T1R4V7X9YB2CD"),
        ],
        "stateGet": [
            ("request", "call", sand.StateGetRequest(key="é", **attempt)),
            ("value", "reply", sand.StateValue(value=payloads["large"])),
            ("none", "reply", sand.StateValue()),
            ("no-process", "error", sand.BusError(error="Sand.BadRequest", message="it runs in no process")),
            ("looks", "call", sand.StateGetRequest(key="é", looks=True, **attempt)),
        ],
        "stateKeys": [
            ("first", "call", sand.StateKeysRequest(limit=1000, **attempt)),
            ("next", "call", sand.StateKeysRequest(after="a/é", limit=2, **attempt)),
            ("keys", "reply", ["a/ê", "b"]),
            ("none", "reply", []),
        ],
        "stateWrite": [
            ("request", "call", sand.StateWriteRequest(writes=writes, **attempt)),
            ("done", "reply", None),
            ("refused", "error", sand.BusError(error="Sand.TooLarge", message="over its memory")),
        ],
        "send": [
            ("request", "call", sand.SendRequest(
                number=3, destination="w-1", key="invoke:reduce:7", payload=payloads["large"], waitMs=29_999, **attempt)),
            ("done", "reply", None),
            ("full", "error", sand.BusError(error="Sand.Overloaded", message="its mailbox is full")),
        ],
        "receive": [
            ("any", "call", sand.ReceiveRequest(waitMs=0, **attempt)),
            ("one", "call", sand.ReceiveRequest(source="w-1", key="é", waitMs=1 << 33, **attempt)),
            ("message", "reply", sand.ReceiveReply(message=sand.Message(source="w-1", key="é", payload=payloads["bytes"]))),
            ("none", "reply", sand.ReceiveReply()),
        ],
        "processInvoke": [
            ("request", "call", sand.ProcessInvokeRequest(
                number=0, destination="w-1", grain="reduce", payload=payloads["json"], **attempt)),
            ("awaited", "call", sand.ProcessInvokeRequest(
                number=0, destination="w-1", grain="reduce", payload=payloads["bytes"], awaited=True, **attempt)),
            ("id", "reply", sand.ProcessInvoked(invocation="01JD0Z5W3M8Q6T1R4V7X9YB2CD")),
            ("output", "reply", sand.ProcessInvoked(
                invocation="01JD0Z5W3M8Q6T1R4V7X9YB2CD", result=sand.ProcessResult(output=payloads["json"]))),
            ("failed", "reply", sand.ProcessInvoked(
                invocation="01JD0Z5W3M8Q6T1R4V7X9YB2CD", result=sand.ProcessResult(error="ValueError", cause="é"))),
        ],
        "processResult": [
            ("request", "call", sand.ProcessResultRequest(invocation="01JD0Z5W3M8Q6T1R4V7X9YB2CD", waitMs=5_000, **attempt)),
            ("output", "reply", sand.ProcessResult(output=payloads["json"])),
            ("failed", "reply", sand.ProcessResult(error="ValueError", cause="é")),
            ("not-yet", "reply", sand.ProcessResult()),
        ],
        "processList": [
            ("now", "call", sand.ProcessListRequest(waitMs=0, **attempt)),
            ("newer", "call", sand.ProcessListRequest(newerThan=1 << 40, waitMs=10_000, **attempt)),
            ("list", "reply", sand.ProcessList(version=(1 << 40) + 1, processes=[
                sand.ProcessEntry(process="w-1", status="active"), sand.ProcessEntry(process="w-2", status="swapped")])),
            ("none", "reply", sand.ProcessList(version=0, processes=[])),
        ],
        "commands": [
            ("request", "call", sand.CommandsRequest(caller="w1", pid=7)),
            ("all", "reply", sand.CommandsReply(commands=commands)),
            ("none", "reply", sand.CommandsReply(commands=[])),
        ],
        "report": [(name, "oneway", report) for name, report in reports.items()],
        "allocate": [
            ("request", "call", sand.SegmentAllocateRequest(eventId=event_id, size=104857728)),
            ("object", "reply", sand.SegmentReply(object="o-17", size=104857728)),
        ],
        "open": [
            ("request", "call", sand.SegmentOpenRequest(object="o-17")),
            ("object", "reply", sand.SegmentReply(object="o-17", size=104857728)),
            ("owned", "reply", sand.SegmentReply(object="o-17", size=104857728, execution=event_id[:26])),
        ],
    }  # fmt: skip


def frame(method: str, kind: str, sequence: int, value: Any) -> bytes:
    service = next(one for one in (sand.LocalBus, sand.Control, sand.Segments) if method in one.thrift_services)
    if kind in ("call", "oneway"):
        body = getattr(service, f"{method}_args")(value)
        code = TMessageType.CALL if kind == "call" else TMessageType.ONEWAY
    else:
        body = getattr(service, f"{method}_result")()
        if kind == "error":
            body.error = value
        elif value is not None:
            body.success = value
        code = TMessageType.REPLY
    buffer = TMemoryBuffer()
    protocol = TBinaryProtocol(buffer, strict_write=True)
    protocol.write_message_begin(method, code, sequence)
    body.write(protocol)
    protocol.write_message_end()
    content = buffer.getvalue()
    return len(content).to_bytes(4, "big") + content


def plain(value: Any, kind: int | None = None) -> Any:
    """A value of thriftpy2's as JSON has it."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    spec = getattr(value, "thrift_spec", None)
    if spec is None:
        return value
    fields = {}
    for code, name, *_ in spec.values():
        field = getattr(value, name)
        if field is not None:
            fields[name] = plain(field.encode() if code == TType.BINARY and isinstance(field, str) else field)
    return fields


def files() -> dict[Path, str]:
    """Each file with its content."""
    found = {}
    for method, frames in cases().items():
        lines = []
        for sequence, (name, kind, value) in enumerate(frames, 1):
            sequence = 0 if kind == "oneway" else sequence
            shown = plain(value)
            if kind in ("reply", "error"):
                shown = {} if value is None else {"error" if kind == "error" else "success": shown}
            lines.append({
                "name": name, "kind": "reply" if kind == "error" else kind, "sequence": sequence,
                "frame": frame(method, kind, sequence, value).hex(), "value": shown,
            })  # fmt: skip
        found[FOLDER / f"{method}.json"] = json.dumps({"method": method, "frames": lines}, indent=1, ensure_ascii=False) + "\n"
    return found


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file, content in files().items():
        file.write_text(content)
