"""The structures of event/src/main/thrift/sand.thrift that a runtime sends and receives, as values.

NamedTuples: immutable and typed, without the modules that dataclasses would make every fork pay for. Absent optional
fields are None. What the fields mean stands in the IDL.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA_VERSION = 1


class DataReference(NamedTuple):
    object: str
    size: int


class Payload(NamedTuple):
    """Bytes in the frame, or a reference to an object of the local data layer; never both."""

    content_type: str
    bytes: bytes | None = None
    reference: DataReference | None = None


class StateWrite(NamedTuple):
    """Without a value: the key is deleted, or there is none."""

    key: str
    value: Payload | None = None


class EventMessage(NamedTuple):
    schema: int
    event_id: str
    execution_id: str
    grain: str
    attempt: int
    remaining_ms: int
    payload: Payload
    traceparent: str | None = None
    process: str | None = None
    state: tuple[StateWrite, ...] | None = None


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
    state_writes: tuple[StateWrite, ...] | None = None


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


class EnqueueRequest(NamedTuple):
    event_id: str
    number: int
    queue: str
    payload: Payload
    group: str | None = None
    remaining_ms: int | None = None


class TableOperation(NamedTuple):
    operation: str
    key: str
    value: Payload | None = None
    number: int | None = None
    field: str | None = None


class TableItem(NamedTuple):
    key: str
    version: int
    value: Payload


class TableResult(NamedTuple):
    version: int
    value: Payload | None = None
    number: int | None = None
    items: tuple[TableItem, ...] | None = None


class TableRequest(NamedTuple):
    partition: str
    operations: tuple[TableOperation, ...]


class TableReply(NamedTuple):
    results: tuple[TableResult, ...]


class ObjectRequest(NamedTuple):
    operation: str
    key: str
    value: Payload | None = None
    offset: int | None = None
    size: int | None = None
    bytes: bytes | None = None
    if_version: int | None = None
    content_type: str | None = None
    after: str | None = None


class ObjectReply(NamedTuple):
    version: int
    size: int | None = None
    content_type: str | None = None
    bytes: bytes | None = None
    sha256: str | None = None
    keys: tuple[str, ...] | None = None


class StateGetRequest(NamedTuple):
    event_id: str
    attempt: int
    key: str
    looks: bool | None = None


class StateValue(NamedTuple):
    value: Payload | None = None


class StateKeysRequest(NamedTuple):
    event_id: str
    attempt: int
    after: str | None
    limit: int


class StateWriteRequest(NamedTuple):
    event_id: str
    attempt: int
    writes: tuple[StateWrite, ...]


class SendRequest(NamedTuple):
    event_id: str
    attempt: int
    number: int
    destination: str
    key: str
    payload: Payload
    wait_ms: int


class ReceiveRequest(NamedTuple):
    event_id: str
    attempt: int
    source: str | None
    key: str | None
    wait_ms: int


class Message(NamedTuple):
    source: str
    key: str
    payload: Payload


class ReceiveReply(NamedTuple):
    message: Message | None = None


class ProcessInvokeRequest(NamedTuple):
    event_id: str
    attempt: int
    number: int
    destination: str
    grain: str
    payload: Payload
    awaited: bool | None = None


class ProcessResultRequest(NamedTuple):
    event_id: str
    attempt: int
    invocation: str
    wait_ms: int


class ProcessResult(NamedTuple):
    output: Payload | None = None
    error: str | None = None
    cause: str | None = None


class ProcessInvoked(NamedTuple):
    invocation: str
    result: ProcessResult | None = None


class ProcessListRequest(NamedTuple):
    event_id: str
    attempt: int
    newer_than: int | None
    wait_ms: int


class ProcessEntry(NamedTuple):
    process: str
    status: str


class ProcessList(NamedTuple):
    version: int
    processes: tuple[ProcessEntry, ...]


class ControlRequest(NamedTuple):
    operation: str
    ticket: str
    arguments: bytes


class ControlReply(NamedTuple):
    status: int
    body: bytes


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
    memory_by_default: bool | None = None
    unopened: dict[str, str] | None = None


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


class SecretsCommand(NamedTuple):
    secrets: dict[str, str]
    unopened: dict[str, str] | None = None


Command = ClaimCommand | StartWorkerCommand | SpawnCommand | KillCommand | StopCommand | SecretsCommand


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
    instance: str | None = None


class SegmentOpenRequest(NamedTuple):
    object: str
    instance: str | None = None


class SegmentReply(NamedTuple):
    object: str
    size: int
    execution: str | None = None
