/**
 * The contract between the host agent's local bus and whatever runs in a sandbox.
 * Transport: a Unix stream socket, framed (4-byte big-endian length), strict binary protocol.
 * A grain runtime needs only LocalBus; a supervisor and its workers also speak Control.
 * Times are nanoseconds of CLOCK_MONOTONIC of the host (the same clock on both sides of the socket).
 */
namespace java dev.sand.event.thrift

/** Written into everything that is stored or sent; a newer one than understood is refused, never skipped. */
const i16 SCHEMA_VERSION = 1

/** A large value that lives in the local data layer; its bytes travel as a descriptor over data.sock. */
struct DataReference {
  1: required string object,
  2: required i64 size
}

/** A value on its way: bytes in the frame (up to 64 KiB) or a reference, never both. */
struct Payload {
  1: required string contentType,
  2: optional binary bytes,
  3: optional DataReference reference
}

/** A value of a process's state. Absent value: the key is deleted, or there is none. */
struct StateWrite {
  1: required string key,
  2: optional Payload value
}

/** One piece of work for one grain instance (SAND 3.2, 4.1). */
struct EventMessage {
  1: required i16 schema,
  /** Derived, not drawn: execution id, "/", path of the state (and "#iteration"). The same in every attempt. */
  2: required string eventId,
  3: required string executionId,
  4: required string grain,
  /** From 1; a field beside the id. */
  5: required i32 attempt,
  /** Deadlines travel as remaining time. */
  6: required i64 remainingMs,
  7: required Payload payload,
  8: optional string traceparent,
  /** The cloud process that the function runs in; absent: none. */
  9: optional string process
  /**
   * Of the process's state what the function probably reads: these values, or that there are none, are those that stateGet would give
   * for as long as the attempt has not written to them.
   */
  10: optional list<StateWrite> state
}

struct TakeRequest {
  /** Says which instance calls: given to its worker in SpawnCommand, so that a stale one is known. */
  1: required string instance,
  /** Process id inside the sandbox: what the supervisor kills when a deadline passes. */
  2: required i32 pid
}

struct TakeReply {
  /** Absent: there is no work and the instance is to end (it is too old, or surplus). */
  1: optional EventMessage event
}

/** An event message for another grain of the application; takes effect when its attempt finishes (SAND 3.2). */
struct Publication {
  1: required string grain,
  2: required Payload payload
}

struct FinishRequest {
  1: required string eventId,
  2: required i32 attempt,
  3: required Payload output,
  4: optional list<Publication> published,
  /** When the handler began and ended, by the instance's clock. */
  5: required i64 startedNs,
  6: required i64 endedNs,
  /** What the function wrote to its process's state, behind what it sent ahead (stateWrite); they take effect with the output. */
  7: optional list<StateWrite> stateWrites
}

struct FailRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** The error's name, as workflows match it: an exception's class name, or Sand.* */
  3: required string error,
  4: required string cause,
  5: optional string stackTrace,
  6: required i64 startedNs,
  7: required i64 endedNs
}

/** What any call may answer instead of a result. */
exception BusError {
  /** Stable: Sand.NotFound, Sand.TooLarge, Sand.Conflict, Sand.Unavailable, Sand.BadRequest, Sand.Denied */
  1: required string error,
  2: required string message
}

struct PublishRequest {
  1: required string eventId,
  2: required i32 attempt,
  3: required Publication publication
}

struct DataGetRequest {
  1: required string key
}

/** A value of shared/; version 0 with no value: there is none under that key. */
struct DataValue {
  1: required i64 version,
  2: optional Payload value
}

struct DataPutRequest {
  1: required string key,
  2: required Payload value,
  /** When given, the put succeeds only at that version (0: only when absent), else Sand.Conflict. */
  3: optional i64 ifVersion
}

struct DataDeleteRequest {
  1: required string key,
  2: optional i64 ifVersion
}

struct DataListRequest {
  1: required string prefix,
  /** Keys after this one, in byte order; for paging. */
  2: optional string after,
  3: required i32 limit
}

struct DataListReply {
  1: required list<string> keys,
  2: required bool more
}

struct DataAddRequest {
  1: required string key,
  2: required i64 delta
}

struct EnqueueRequest {
  /** The attempt that sends; the message's id derives from it, so that a second attempt sends the same messages. */
  1: required string eventId,
  /** Counts the attempt's messages from 0. */
  2: required i32 number,
  3: required string queue,
  4: required Payload payload,
  /** Messages of one group are worked on in order. */
  5: optional string group,
  /** What the attempt has left: it is told of a bus that does not answer while it can still act on it. */
  6: optional i64 remainingMs
}

/**
 * One step of a transaction on a table. What each takes and gives stands in data-layer's TableOperation: get check checkLock put
 * delete add append prepend popFirst popLast remove keepFirst keepLast setField removeField addMembers removeMembers.
 * Alone in their request: scan (key: prefix, field: after, number: limit), and of the timed lock of that name acquire (number:
 * holding time in ms), renew (number: token, value: holding time in ms as JSON), release (number: token).
 */
struct TableOperation {
  1: required string operation,
  2: required string key,
  3: optional Payload value,
  4: optional i64 number,
  5: optional string field
}

struct TableItem {
  1: required string key,
  2: required i64 version,
  3: required Payload value
}

/** Of acquire: number is the token, or 0 and version the milliseconds after which it may be free. */
struct TableResult {
  1: required i64 version,
  2: optional Payload value,
  3: optional i64 number,
  4: optional list<TableItem> items
}

/** All operations or none (Sand.Conflict), in one partition of the application's tables. */
struct TableRequest {
  1: required string partition,
  2: required list<TableOperation> operations
}

struct TableReply {
  1: required list<TableResult> results
}

/**
 * A large value of object/: put (value), read (offset, size), write (offset, bytes), resize (size), info, delete,
 * list (key: prefix, after, size: limit).
 */
struct ObjectRequest {
  1: required string operation,
  2: required string key,
  3: optional Payload value,
  4: optional i64 offset,
  5: optional i64 size,
  /** At most 512 KiB, as of read. */
  6: optional binary bytes,
  7: optional i64 ifVersion,
  8: optional string contentType,
  9: optional string after
}

/** version 0: there is no such object. */
struct ObjectReply {
  1: required i64 version,
  2: optional i64 size,
  3: optional string contentType,
  4: optional binary bytes,
  /** In hexadecimal; absent once the object was written in part. */
  5: optional string sha256,
  6: optional list<string> keys
}

struct StateGetRequest {
  1: required string eventId,
  2: required i32 attempt,
  3: required string key,
  /** Only whether there is a value: what is answered may be another one. Nothing is brought from the global data layer for it. */
  4: optional bool looks
}

/** Without a value: there is none under that key. */
struct StateValue {
  1: optional Payload value
}

struct StateKeysRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** Keys after this one, in byte order; for paging. */
  3: optional string after,
  4: required i32 limit
}

struct StateWriteRequest {
  1: required string eventId,
  2: required i32 attempt,
  3: required list<StateWrite> writes
}

struct SendRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** Counts the attempt's sends and invokes from 0: a further attempt's repetitions are known by it. */
  3: required i32 number,
  /** A process of the application; the own one: the message's source is SELF. */
  4: required string destination,
  5: required string key,
  6: required Payload payload,
  /** How long to wait while the mailbox is full; 0: not at all. */
  7: required i64 waitMs
}

struct ReceiveRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** Absent: any. The own process's id: what it sent to itself. */
  3: optional string source,
  4: optional string key,
  /** How long to wait until there is one; 0: not at all. */
  5: required i64 waitMs
}

struct Message {
  1: required string source,
  2: required string key,
  3: required Payload payload
}

/** Without a message: none came in time. */
struct ReceiveReply {
  1: optional Message message
}

struct ProcessInvokeRequest {
  1: required string eventId,
  2: required i32 attempt,
  3: required i32 number,
  4: required string destination,
  5: required string grain,
  6: required Payload payload,
  /** The attempt waits for nothing but its result: the answer may come with that, half a millisecond later at most. */
  7: optional bool awaited
}

struct ProcessResultRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** What processInvoke answered. */
  3: required string invocation,
  4: required i64 waitMs
}

/** Neither an output nor an error: it has not ended in time. */
struct ProcessResult {
  1: optional Payload output,
  2: optional string error,
  3: optional string cause
}

/** It runs, or waits for its turn; with its result, if it was awaited and has ended by now. */
struct ProcessInvoked {
  1: required string invocation,
  2: optional ProcessResult result
}

struct ProcessListRequest {
  1: required string eventId,
  2: required i32 attempt,
  /** A version that was answered before: answered when there is a newer one, or after waitMs. Absent: at once. */
  3: optional i64 newerThan,
  4: required i64 waitMs
}

struct ProcessEntry {
  1: required string process,
  /** active, idle or swapped */
  2: required string status
}

struct ProcessList {
  1: required i64 version,
  2: required list<ProcessEntry> processes
}

/**
 * An operation of the platform's interface, for an application that the operator has given a capability. The ticket is that of the
 * request which the attempt handles.
 */
struct ControlRequest {
  /** Its operationId in openapi.yaml. */
  1: required string operation,
  2: required string ticket,
  /** JSON of at most 512 KiB: {"parameters", "query", "headers", "body"}, each may be absent. */
  3: required binary arguments
}

/** As over HTTP, a problem too. */
struct ControlReply {
  1: required i32 status,
  /** JSON of at most 512 KiB; empty: none. */
  2: required binary body
}

service LocalBus {
  /** Long poll: answered in one write when an event is there. One outstanding take a connection. */
  TakeReply take(1: TakeRequest request) throws (1: BusError error)
  /** The end of an attempt, with its output and publications. Not answered: the instance may end, or take again. */
  oneway void finish(1: FinishRequest request)
  oneway void fail(1: FailRequest request)
  /** Kept by the host agent until the attempt finishes; dropped when it fails. */
  void publish(1: PublishRequest request) throws (1: BusError error)
  /** To a queue of the application; in the global bus when answered, whatever becomes of the attempt. The message's id. */
  string enqueue(1: EnqueueRequest request) throws (1: BusError error)
  DataValue dataGet(1: DataGetRequest request) throws (1: BusError error)
  i64 dataPut(1: DataPutRequest request) throws (1: BusError error)
  /** True when there was a value. */
  bool dataDelete(1: DataDeleteRequest request) throws (1: BusError error)
  DataListReply dataList(1: DataListRequest request) throws (1: BusError error)
  /** Atomic counter: adds and returns the new value; an absent one counts as 0. */
  i64 dataAdd(1: DataAddRequest request) throws (1: BusError error)
  TableReply table(1: TableRequest request) throws (1: BusError error)
  ObjectReply object(1: ObjectRequest request) throws (1: BusError error)
  /*
   * The cloud process of the attempt (PraaS, Listing 1). Sand.BadRequest when it runs in none.
   */
  StateValue stateGet(1: StateGetRequest request) throws (1: BusError error)
  list<string> stateKeys(1: StateKeysRequest request) throws (1: BusError error)
  /** Kept by the host agent until the attempt finishes; dropped when it fails. */
  void stateWrite(1: StateWriteRequest request) throws (1: BusError error)
  /** In the receiver's mailbox when answered. Sand.NotFound: no such process; Sand.Overloaded: still full after waitMs. */
  void send(1: SendRequest request) throws (1: BusError error)
  /** Takes the oldest message that matches; it goes back to its place when the attempt does not finish. */
  ReceiveReply receive(1: ReceiveRequest request) throws (1: BusError error)
  /** Accepted when answered. */
  ProcessInvoked processInvoke(1: ProcessInvokeRequest request) throws (1: BusError error)
  ProcessResult processResult(1: ProcessResultRequest request) throws (1: BusError error)
  /** The application's processes, but for those that were killed. */
  ProcessList processList(1: ProcessListRequest request) throws (1: BusError error)
  /** Sand.Denied: the application has no capability for it, or the ticket gives none. */
  ControlReply control(1: ControlRequest request) throws (1: BusError error)
}

struct GrainConfiguration {
  1: required string grain,
  /** module:function below the grain's folder. */
  2: required string entry,
  /** Folders put in front of sys.path, in order, as absolute paths inside the sandbox. */
  3: required list<string> path,
  /** "request" (a process a request) or "worker" (an instance serves many). */
  4: required string isolation,
  /** auto | code | none: what is imported before the fork. */
  5: required string preload,
  6: required map<string, string> environment,
  /** RLIMIT_DATA of an instance in bytes; 0: none. */
  7: required i64 instanceMemoryBytes,
  8: required string application,
  9: required string version,
  /** The application's grains: context.publish refuses others at once. */
  10: required list<string> grains,
  /** Requests after which an instance with isolation "worker" is renewed; 0: never. */
  11: required i32 maxRequests,
  /** Fields may be set as secrets: written to the instance's memory only, never to its environment. */
  12: optional map<string, string> secrets,
  /** The limit is the platform's default: what the code reserves by being loaded and does not use is not counted. */
  13: optional bool memoryByDefault,
  /** By name, why a secret that the grain names cannot be told. */
  14: optional map<string, string> unopened
}

/** For a blank sandbox: the application is now yours. */
struct ClaimCommand {
  1: required string application,
  2: required string version,
  /** Modules the supervisor imports once, before it forks workers (SAND 3.1). */
  3: required list<string> preload,
  4: required list<string> path
}

struct StartWorkerCommand {
  1: required string worker,
  2: required GrainConfiguration configuration
}

/** Fork one instance for each id. */
struct SpawnCommand {
  1: required list<string> instances
}

/** Worker: what instances have that are forked from now on. */
struct SecretsCommand {
  1: required map<string, string> secrets,
  /** By name, why a secret that the grain names cannot be told. */
  2: optional map<string, string> unopened
}

/** SIGKILL to the process group of an instance, or to a worker with all its instances. */
struct KillCommand {
  1: required i32 pid
}

/** Supervisor: stop a worker gently; worker: end when its instances have ended. */
struct StopCommand {
  1: optional string worker
}

union Command {
  1: ClaimCommand claim,
  2: StartWorkerCommand startWorker,
  3: SpawnCommand spawn,
  4: KillCommand kill,
  5: StopCommand stop,
  6: SecretsCommand secrets
}

struct CommandsRequest {
  /** The token the caller was started with: the sandbox's for a supervisor, the worker's id for a worker. */
  1: required string caller,
  2: required i32 pid
}

struct CommandsReply {
  1: required list<Command> commands
}

struct WorkerReadyReport {
  1: required string worker,
  2: required i32 pid,
  /** Microseconds that importing the grain's code took. */
  3: required i64 importUs,
  /** preload fell back from auto to none because imports left threads or sockets: the reason, for the log. */
  4: optional string note
}

struct WorkerFailedReport {
  1: required string worker,
  2: required string error,
  3: required string cause,
  4: optional string stackTrace
}

/** A process ended; signal 0 when it ended by itself. */
struct WorkerExitedReport {
  1: required string worker,
  2: required i32 exitCode,
  3: required i32 signal
}

struct InstanceExitedReport {
  1: required string instance,
  2: required i32 exitCode,
  3: required i32 signal,
  /** User and system CPU time, and peak resident memory, from wait4 (SAND 9: the fair base for billing). */
  4: required i64 cpuUs,
  5: required i64 peakMemoryBytes,
  /** What happened, in words, when the worker knows more than the signal: a fork bomb, an adopted process. */
  6: optional string note
}

struct InstanceForkFailedReport {
  1: required string instance,
  2: required string cause
}

union Report {
  1: WorkerReadyReport workerReady,
  2: WorkerFailedReport workerFailed,
  3: WorkerExitedReport workerExited,
  4: InstanceExitedReport instanceExited,
  5: InstanceForkFailedReport instanceForkFailed
}

service Control {
  /** Long poll for the next commands, in order. One outstanding call a connection. */
  CommandsReply commands(1: CommandsRequest request) throws (1: BusError error)
  oneway void report(1: Report report)
}

struct SegmentAllocateRequest {
  /** The attempt that will put its value there; the object lives as long as its execution, or as a key of shared/ names it. */
  1: required string eventId,
  2: required i64 size,
  /** With the first request of a connection: who asks. See Segments. */
  3: optional string instance
}

struct SegmentOpenRequest {
  1: required string object,
  /** As in SegmentAllocateRequest. */
  2: optional string instance
}

struct SegmentReply {
  1: required string object,
  2: required i64 size,
  /** Of open: the execution that it belongs to, whose outputs may name it as it is. */
  3: optional string execution
}

/**
 * Large values (over 64 KiB), on data.sock. A memfd travels with the reply as SCM_RIGHTS on its first byte:
 * writable for allocate (sealed against growing and shrinking, pre-faulted), read-only for open. Map it; do not copy it.
 *
 * A connection that has said whose it is may be given replies to open that it has not asked for, with the sequence number
 * -1: of an object that a message on that instance's bus.sock names, sent before that message. It need not come.
 */
service Segments {
  SegmentReply allocate(1: SegmentAllocateRequest request) throws (1: BusError error)
  SegmentReply open(1: SegmentOpenRequest request) throws (1: BusError error)
}
