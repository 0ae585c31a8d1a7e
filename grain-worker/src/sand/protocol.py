"""The calls of event/src/main/thrift/sand.thrift that a runtime makes, from values (messages.py) to bytes and back. No I/O.

Tests hold it to the IDL through an independent Thrift library and to the vectors in event/vectors/protocol. The few
messages on the path of an event have precompiled encoders and decoders in hotpath.py, those of a process in process_path.py.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import error as StructError
from typing import Any, NamedTuple

from sand import wire
from sand.messages import (
    BusError,
    ClaimCommand,
    CommandsReply,
    CommandsRequest,
    ControlReply,
    ControlRequest,
    DataAddRequest,
    DataDeleteRequest,
    DataGetRequest,
    DataListReply,
    DataListRequest,
    DataPutRequest,
    DataReference,
    DataValue,
    EnqueueRequest,
    EventMessage,
    FailRequest,
    FinishRequest,
    GrainConfiguration,
    InstanceExitedReport,
    InstanceForkFailedReport,
    KillCommand,
    Message,
    ObjectReply,
    ObjectRequest,
    Payload,
    ProcessEntry,
    ProcessInvoked,
    ProcessInvokeRequest,
    ProcessList,
    ProcessListRequest,
    ProcessResult,
    ProcessResultRequest,
    Publication,
    PublishRequest,
    ReceiveReply,
    ReceiveRequest,
    SecretsCommand,
    SegmentAllocateRequest,
    SegmentOpenRequest,
    SegmentReply,
    SendRequest,
    SpawnCommand,
    StartWorkerCommand,
    StateGetRequest,
    StateKeysRequest,
    StateValue,
    StateWrite,
    StateWriteRequest,
    StopCommand,
    TableItem,
    TableOperation,
    TableReply,
    TableRequest,
    TableResult,
    TakeReply,
    TakeRequest,
    WorkerExitedReport,
    WorkerFailedReport,
    WorkerReadyReport,
)
from sand.wire import BINARY, FLAG, INT, LONG, SHORT, TEXT, TEXT_MAP, ProtocolError, list_of, struct_of, union_of

_R, _O = True, False
_reference = struct_of(DataReference, (1, TEXT, _R), (2, LONG, _R))
_payload = struct_of(Payload, (1, TEXT, _R), (2, BINARY, _O), (3, _reference, _O))
_state_write = struct_of(StateWrite, (1, TEXT, _R), (2, _payload, _O))
STATE_WRITES = list_of(_state_write)
_event = struct_of(
    EventMessage, (1, SHORT, _R), (2, TEXT, _R), (3, TEXT, _R), (4, TEXT, _R), (5, INT, _R), (6, LONG, _R),
    (7, _payload, _R), (8, TEXT, _O), (9, TEXT, _O), (10, STATE_WRITES, _O),
)  # fmt: skip
_publication = struct_of(Publication, (1, TEXT, _R), (2, _payload, _R))
PUBLICATIONS = list_of(_publication)
_texts = list_of(TEXT)
_configuration = struct_of(
    GrainConfiguration, (1, TEXT, _R), (2, TEXT, _R), (3, _texts, _R), (4, TEXT, _R), (5, TEXT, _R), (6, TEXT_MAP, _R),
    (7, LONG, _R), (8, TEXT, _R), (9, TEXT, _R), (10, _texts, _R), (11, INT, _R), (12, TEXT_MAP, _O), (13, FLAG, _O),
    (14, TEXT_MAP, _O),
)  # fmt: skip
_command = union_of(
    (1, ClaimCommand, struct_of(ClaimCommand, (1, TEXT, _R), (2, TEXT, _R), (3, _texts, _R), (4, _texts, _R))),
    (2, StartWorkerCommand, struct_of(StartWorkerCommand, (1, TEXT, _R), (2, _configuration, _R))),
    (3, SpawnCommand, struct_of(SpawnCommand, (1, _texts, _R))),
    (4, KillCommand, struct_of(KillCommand, (1, INT, _R))),
    (5, StopCommand, struct_of(StopCommand, (1, TEXT, _O))),
    (6, SecretsCommand, struct_of(SecretsCommand, (1, TEXT_MAP, _R), (2, TEXT_MAP, _O))),
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
_segment_reply = struct_of(SegmentReply, (1, TEXT, _R), (2, LONG, _R), (3, TEXT, _O))


class Method(NamedTuple):
    """A call: its argument, and its result (None: no value) unless it is oneway.

    :ivar laid: its frame by hand, from argument and sequence number, or None: it is not of the usual layout
    :ivar read: the value of a reply to it by hand, or None, as above
    """

    name: str
    argument: wire.Type
    result: wire.Type | None = None
    oneway: bool = False
    laid: Callable[[Any, int], bytes | None] | None = None
    read: Callable[[bytes], Any] | None = None


TAKE = Method("take", struct_of(TakeRequest, (1, TEXT, _R), (2, INT, _R)), struct_of(TakeReply, (1, _event, _O)))
FINISH = Method("finish", struct_of(
    FinishRequest, (1, TEXT, _R), (2, INT, _R), (3, _payload, _R), (4, PUBLICATIONS, _O), (5, LONG, _R),
    (6, LONG, _R), (7, STATE_WRITES, _O)), oneway=True)  # fmt: skip
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
_enqueue = struct_of(
    EnqueueRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _R), (4, _payload, _R), (5, TEXT, _O), (6, LONG, _O)
)
ENQUEUE = Method("enqueue", _enqueue, TEXT)
_operation = struct_of(TableOperation, (1, TEXT, _R), (2, TEXT, _R), (3, _payload, _O), (4, LONG, _O), (5, TEXT, _O))
_item = struct_of(TableItem, (1, TEXT, _R), (2, LONG, _R), (3, _payload, _R))
_result = struct_of(TableResult, (1, LONG, _R), (2, _payload, _O), (3, LONG, _O), (4, list_of(_item), _O))
TABLE = Method(
    "table",
    struct_of(TableRequest, (1, TEXT, _R), (2, list_of(_operation), _R)),
    struct_of(TableReply, (1, list_of(_result), _R)),
)
OBJECT = Method(
    "object",
    struct_of(ObjectRequest, (1, TEXT, _R), (2, TEXT, _R), (3, _payload, _O), (4, LONG, _O), (5, LONG, _O), (6, BINARY, _O),
              (7, LONG, _O), (8, TEXT, _O), (9, TEXT, _O)),
    struct_of(ObjectReply, (1, LONG, _R), (2, LONG, _O), (3, TEXT, _O), (4, BINARY, _O), (5, TEXT, _O), (6, _texts, _O)),
)  # fmt: skip
STATE_GET = Method(
    "stateGet",
    struct_of(StateGetRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _R), (4, FLAG, _O)),
    struct_of(StateValue, (1, _payload, _O)),
)
STATE_KEYS = Method("stateKeys", struct_of(StateKeysRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _O), (4, INT, _R)), _texts)
STATE_WRITE = Method("stateWrite", struct_of(StateWriteRequest, (1, TEXT, _R), (2, INT, _R), (3, STATE_WRITES, _R)))
SEND = Method(
    "send",
    struct_of(
        SendRequest, (1, TEXT, _R), (2, INT, _R), (3, INT, _R), (4, TEXT, _R), (5, TEXT, _R), (6, _payload, _R), (7, LONG, _R)
    ),
)
_message = struct_of(Message, (1, TEXT, _R), (2, TEXT, _R), (3, _payload, _R))
RECEIVE = Method(
    "receive",
    struct_of(ReceiveRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _O), (4, TEXT, _O), (5, LONG, _R)),
    struct_of(ReceiveReply, (1, _message, _O)),
)
_process_result = struct_of(ProcessResult, (1, _payload, _O), (2, TEXT, _O), (3, TEXT, _O))
PROCESS_INVOKE = Method(
    "processInvoke",
    struct_of(
        ProcessInvokeRequest, (1, TEXT, _R), (2, INT, _R), (3, INT, _R), (4, TEXT, _R), (5, TEXT, _R), (6, _payload, _R),
        (7, FLAG, _O)),
    struct_of(ProcessInvoked, (1, TEXT, _R), (2, _process_result, _O)),
)  # fmt: skip
PROCESS_RESULT = Method(
    "processResult",
    struct_of(ProcessResultRequest, (1, TEXT, _R), (2, INT, _R), (3, TEXT, _R), (4, LONG, _R)),
    _process_result,
)
_entry = struct_of(ProcessEntry, (1, TEXT, _R), (2, TEXT, _R))
PROCESS_LIST = Method(
    "processList",
    struct_of(ProcessListRequest, (1, TEXT, _R), (2, INT, _R), (3, LONG, _O), (4, LONG, _R)),
    struct_of(ProcessList, (1, LONG, _R), (2, list_of(_entry), _R)),
)  # fmt: skip
CONTROL = Method(
    "control",
    struct_of(ControlRequest, (1, TEXT, _R), (2, TEXT, _R), (3, BINARY, _R)),
    struct_of(ControlReply, (1, INT, _R), (2, BINARY, _R)),
)
COMMANDS = Method(
    "commands",
    struct_of(CommandsRequest, (1, TEXT, _R), (2, INT, _R)),
    struct_of(CommandsReply, (1, list_of(_command), _R)),
)
REPORT = Method("report", _report, oneway=True)
ALLOCATE = Method("allocate", struct_of(SegmentAllocateRequest, (1, TEXT, _R), (2, LONG, _R), (3, TEXT, _O)), _segment_reply)
OPEN = Method("open", struct_of(SegmentOpenRequest, (1, TEXT, _R), (2, TEXT, _O)), _segment_reply)

METHODS = {
    method.name: method
    for method in (TAKE, FINISH, FAIL, PUBLISH, ENQUEUE, DATA_GET, DATA_PUT, DATA_DELETE, DATA_LIST, DATA_ADD, TABLE, OBJECT,
                   STATE_GET, STATE_KEYS, STATE_WRITE, SEND, RECEIVE, PROCESS_INVOKE, PROCESS_RESULT, PROCESS_LIST,
                   CONTROL, COMMANDS, REPORT, ALLOCATE, OPEN)
}  # fmt: skip


def encode_call(method: Method, argument: Any, sequence: int = 0) -> bytes:
    """A call as one frame, ready to be sent."""
    if method.laid is not None:
        frame = method.laid(argument, sequence)
        if frame is not None:
            return frame
    body = [b"\x0c\0\1"]
    method.argument.encode(body, argument)
    body.append(b"\0")
    return wire.message(wire.ONEWAY if method.oneway else wire.CALL, method.name, sequence, body)


def decode_reply(method: Method, data: bytes) -> Any:
    """The result of a call from a frame without its length: the value (None for a void call) or a BusError."""
    if method.read is not None:
        value = method.read(data)
        if value is not None:
            return value
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
