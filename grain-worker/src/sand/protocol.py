"""The messages of event/src/main/thrift/sand.thrift that a runtime sends and receives, as values. No I/O.

Tests hold it to the IDL through an independent Thrift library and to the vectors in event/vectors/protocol. The few
messages on the path of an event have precompiled encoders and decoders in hotpath.py.
Values are NamedTuples: immutable and typed, without the modules that dataclasses would make every fork pay for.
"""

from __future__ import annotations

from struct import error as StructError
from typing import Any, NamedTuple

from sand import wire
from sand.wire import BINARY, FLAG, INT, LONG, SHORT, TEXT, TEXT_MAP, ProtocolError, list_of, struct_of, union_of

SCHEMA_VERSION = 1


class DataReference(NamedTuple):
    object: str
    size: int


class Payload(NamedTuple):
    """Bytes in the frame, or a reference to an object of the local data layer; never both."""

    content_type: str
    bytes: bytes | None = None
    reference: DataReference | None = None


class EventMessage(NamedTuple):
    schema: int
    event_id: str
    execution_id: str
    grain: str
    attempt: int
    remaining_ms: int
    payload: Payload
    traceparent: str | None = None


class TakeRequest(NamedTuple):
    instance: str
    pid: int


class TakeReply(NamedTuple):
    event: EventMessage | None = None


class Publication(NamedTuple):
    grain: str
    payload: Payload


class FinishRequest(NamedTuple):
    event_id: str
    attempt: int
    output: Payload
    published: tuple[Publication, ...] | None
    started_ns: int
    ended_ns: int


class FailRequest(NamedTuple):
    event_id: str
    attempt: int
    error: str
    cause: str
    stack_trace: str | None
    started_ns: int
    ended_ns: int


class BusError(NamedTuple):
    error: str
    message: str


class PublishRequest(NamedTuple):
    event_id: str
    attempt: int
    publication: Publication


class DataGetRequest(NamedTuple):
    key: str


class DataValue(NamedTuple):
    version: int
    value: Payload | None = None


class DataPutRequest(NamedTuple):
    key: str
    value: Payload
    if_version: int | None = None


class DataDeleteRequest(NamedTuple):
    key: str
    if_version: int | None = None


class DataListRequest(NamedTuple):
    prefix: str
    after: str | None
    limit: int


class DataListReply(NamedTuple):
    keys: tuple[str, ...]
    more: bool


class DataAddRequest(NamedTuple):
    key: str
    delta: int


class GrainConfiguration(NamedTuple):
    grain: str
    entry: str
    path: tuple[str, ...]
    isolation: str
    preload: str
    environment: dict[str, str]
    instance_memory_bytes: int
    application: str
    version: str
    grains: tuple[str, ...]
    max_requests: int
    secrets: dict[str, str] | None = None


class ClaimCommand(NamedTuple):
    application: str
    version: str
    preload: tuple[str, ...]
    path: tuple[str, ...]


class StartWorkerCommand(NamedTuple):
    worker: str
    configuration: GrainConfiguration


class SpawnCommand(NamedTuple):
    instances: tuple[str, ...]


class KillCommand(NamedTuple):
    pid: int


class StopCommand(NamedTuple):
    worker: str | None = None


Command = ClaimCommand | StartWorkerCommand | SpawnCommand | KillCommand | StopCommand


class CommandsRequest(NamedTuple):
    caller: str
    pid: int


class CommandsReply(NamedTuple):
    commands: tuple[Command, ...]


class WorkerReadyReport(NamedTuple):
    worker: str
    pid: int
    import_us: int
    note: str | None = None


class WorkerFailedReport(NamedTuple):
    worker: str
    error: str
    cause: str
    stack_trace: str | None = None


class WorkerExitedReport(NamedTuple):
    worker: str
    exit_code: int
    signal: int


class InstanceExitedReport(NamedTuple):
    instance: str
    exit_code: int
    signal: int
    cpu_us: int
    peak_memory_bytes: int
    note: str | None = None


class InstanceForkFailedReport(NamedTuple):
    instance: str
    cause: str


Report = WorkerReadyReport | WorkerFailedReport | WorkerExitedReport | InstanceExitedReport | InstanceForkFailedReport


class SegmentAllocateRequest(NamedTuple):
    event_id: str
    size: int


class SegmentOpenRequest(NamedTuple):
    object: str


class SegmentReply(NamedTuple):
    object: str
    size: int


_R, _O = True, False
_reference = struct_of(DataReference, (1, TEXT, _R), (2, LONG, _R))
_payload = struct_of(Payload, (1, TEXT, _R), (2, BINARY, _O), (3, _reference, _O))
_event = struct_of(
    EventMessage, (1, SHORT, _R), (2, TEXT, _R), (3, TEXT, _R), (4, TEXT, _R), (5, INT, _R), (6, LONG, _R),
    (7, _payload, _R), (8, TEXT, _O),
)  # fmt: skip
_publication = struct_of(Publication, (1, TEXT, _R), (2, _payload, _R))
PUBLICATIONS = list_of(_publication)
_texts = list_of(TEXT)
_configuration = struct_of(
    GrainConfiguration, (1, TEXT, _R), (2, TEXT, _R), (3, _texts, _R), (4, TEXT, _R), (5, TEXT, _R), (6, TEXT_MAP, _R),
    (7, LONG, _R), (8, TEXT, _R), (9, TEXT, _R), (10, _texts, _R), (11, INT, _R), (12, TEXT_MAP, _O),
)  # fmt: skip
_command = union_of(
    (1, ClaimCommand, struct_of(ClaimCommand, (1, TEXT, _R), (2, TEXT, _R), (3, _texts, _R), (4, _texts, _R))),
    (2, StartWorkerCommand, struct_of(StartWorkerCommand, (1, TEXT, _R), (2, _configuration, _R))),
    (3, SpawnCommand, struct_of(SpawnCommand, (1, _texts, _R))),
    (4, KillCommand, struct_of(KillCommand, (1, INT, _R))),
    (5, StopCommand, struct_of(StopCommand, (1, TEXT, _O))),
)
_report = union_of(
    (1, WorkerReadyReport, struct_of(WorkerReadyReport, (1, TEXT, _R), (2, INT, _R), (3, LONG, _R), (4, TEXT, _O))),
    (2, WorkerFailedReport, struct_of(WorkerFailedReport, (1, TEXT, _R), (2, TEXT, _R), (3, TEXT, _R), (4, TEXT, _O))),
    (3, WorkerExitedReport, struct_of(WorkerExitedReport, (1, TEXT, _R), (2, INT, _R), (3, INT, _R))),
    (4, InstanceExitedReport, struct_of(
        InstanceExitedReport, (1, TEXT, _R), (2, INT, _R), (3, INT, _R), (4, LONG, _R), (5, LONG, _R), (6, TEXT, _O))),
    (5, InstanceForkFailedReport, struct_of(InstanceForkFailedReport, (1, TEXT, _R), (2, TEXT, _R))),
)  # fmt: skip
_bus_error = struct_of(BusError, (1, TEXT, _R), (2, TEXT, _R))
_segment_reply = struct_of(SegmentReply, (1, TEXT, _R), (2, LONG, _R))


class Method(NamedTuple):
    """A call: its argument, and its result (None: no value) unless it is oneway."""

    name: str
    argument: wire.Type
    result: wire.Type | None = None
    oneway: bool = False


TAKE = Method("take", struct_of(TakeRequest, (1, TEXT, _R), (2, INT, _R)), struct_of(TakeReply, (1, _event, _O)))
FINISH = Method("finish", struct_of(
    FinishRequest, (1, TEXT, _R), (2, INT, _R), (3, _payload, _R), (4, PUBLICATIONS, _O), (5, LONG, _R),
    (6, LONG, _R)), oneway=True)  # fmt: skip
FAIL = Method("fail", struct_of(
    FailRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _R), (4, TEXT, _R), (5, TEXT, _O), (6, LONG, _R), (7, LONG, _R)),
    oneway=True)  # fmt: skip
PUBLISH = Method("publish", struct_of(PublishRequest, (1, TEXT, _R), (2, INT, _R), (3, _publication, _R)))
DATA_GET = Method("dataGet", struct_of(DataGetRequest, (1, TEXT, _R)), struct_of(DataValue, (1, LONG, _R), (2, _payload, _O)))
DATA_PUT = Method("dataPut", struct_of(DataPutRequest, (1, TEXT, _R), (2, _payload, _R), (3, LONG, _O)), LONG)
DATA_DELETE = Method("dataDelete", struct_of(DataDeleteRequest, (1, TEXT, _R), (2, LONG, _O)), FLAG)
DATA_LIST = Method(
    "dataList",
    struct_of(DataListRequest, (1, TEXT, _R), (2, TEXT, _O), (3, INT, _R)),
    struct_of(DataListReply, (1, _texts, _R), (2, FLAG, _R)),
)
DATA_ADD = Method("dataAdd", struct_of(DataAddRequest, (1, TEXT, _R), (2, LONG, _R)), LONG)
COMMANDS = Method(
    "commands",
    struct_of(CommandsRequest, (1, TEXT, _R), (2, INT, _R)),
    struct_of(CommandsReply, (1, list_of(_command), _R)),
)
REPORT = Method("report", _report, oneway=True)
ALLOCATE = Method("allocate", struct_of(SegmentAllocateRequest, (1, TEXT, _R), (2, LONG, _R)), _segment_reply)
OPEN = Method("open", struct_of(SegmentOpenRequest, (1, TEXT, _R)), _segment_reply)

METHODS = {
    method.name: method
    for method in (TAKE, FINISH, FAIL, PUBLISH, DATA_GET, DATA_PUT, DATA_DELETE, DATA_LIST, DATA_ADD, COMMANDS, REPORT,
                   ALLOCATE, OPEN)
}  # fmt: skip


def encode_call(method: Method, argument: Any, sequence: int = 0) -> bytes:
    """A call as one frame, ready to be sent."""
    body = [b"\x0c\0\1"]
    method.argument.encode(body, argument)
    body.append(b"\0")
    return wire.message(wire.ONEWAY if method.oneway else wire.CALL, method.name, sequence, body)


def decode_reply(method: Method, data: bytes) -> Any:
    """The result of a call from a frame without its length: the value (None for a void call) or a BusError."""
    try:
        kind, name, _, at = wire.header(data)
        if kind == wire.EXCEPTION:
            return BusError("Sand.Unavailable", f"{name}: {_application_exception(data, at)}")
        if kind != wire.REPLY or name != method.name:
            raise ProtocolError(f"a reply to {method.name} was expected, not {name}")
        result = None
        while (code := data[at]) != wire.STOP:
            number = data[at + 2]
            at += 3
            if number == 0 and method.result is not None and code == method.result.code:
                result, at = method.result.decode(data, at)
            elif number == 1 and code == wire.STRUCT:
                result, at = _bus_error.decode(data, at)
            else:
                at = wire.skip(data, at, code)
        if result is None and method.result is not None:
            raise ProtocolError(f"a reply to {name} without a result")
        return result
    except (IndexError, ValueError, StructError) as broken:
        raise ProtocolError(f"a reply to {method.name} that cannot be read: {broken}") from broken


def _application_exception(data: bytes, at: int) -> str:
    """The text of Thrift's own exception, which a server sends for a call that it does not know."""
    text = "the host agent refused the call"
    while (code := data[at]) != wire.STOP:
        number, at = data[at + 2], at + 3
        if number == 1 and code == wire.STRING:
            text, at = TEXT.decode(data, at)
        else:
            at = wire.skip(data, at, code)
    return text
