/**
 * What frontends and host agents say to each other over TCP.
 * Transport: framed (4-byte big-endian length), strict binary protocol, one Message a frame, after a handshake that proves to
 * both sides that the other has the cluster's key. Many calls are under way on one connection; `call` says which one a message
 * belongs to and is chosen by the frontend. Fields that a peer does not know are skipped, so that versions run side by side.
 */
namespace java dev.sand.event.thrift.network

/** Another number is refused in the handshake. */
const i16 PROTOCOL = 1

// --- the handshake: Hello ->, <- Challenge, Proof ->, <- Welcome

struct Hello { 1: required i16 protocol, 2: required string name, 3: required binary nonce }

struct Challenge { 1: required i16 protocol, 2: required string host, 3: required binary nonce }

/** HMAC-SHA256 under the cluster's key over the sender's role, both nonces and both names. */
struct Proof { 1: required binary proof }

/** @param slots of the cluster, so that nobody routes by another number */
struct Welcome { 1: required binary proof, 2: required i32 slots }

/** The connection is closed after it. */
struct Refused { 1: required string cause }

// --- values

/** Bytes in the frame, or the size of a value whose bytes follow in Chunks of the same call, as Credit is given for them. */
struct Value { 1: required string contentType, 2: optional binary bytes, 3: optional i64 streamed }

struct Chunk { 1: required i64 call, 2: required binary bytes }

/** So many bytes more of the call's value may be sent. */
struct Credit { 1: required i64 call, 2: required i64 bytes }

struct Failure {
  1: required string error,
  2: required string cause,
  3: required string source,
  4: required bool retryable,
  5: optional string stackTrace,
  /** JSON object of limits and actual values. */
  6: optional string details
}

struct Hop {
  1: required string eventId, 2: required string grain, 3: required i32 attempt, 4: optional string error,
  5: i64 queuedNs, 6: i64 handedNs, 7: i64 startedNs, 8: i64 endedNs, 9: i64 returnedNs,
  10: i64 cpuUs, 11: i64 peakMemoryBytes
}

// --- executions

struct Invoke {
  1: required i64 call,
  2: required string executionId,
  3: required string application,
  4: required i32 version,
  5: required string target,
  6: required Value input,
  7: required i64 timeoutMs,
  8: required bool durable,
  9: optional string traceparent,
  /** A Redrive, as JSON. A host agent that does not know it takes the request for a new one: upgrade hosts before frontends. */
  10: optional binary redrive,
  /** The cloud process that the grain runs in. A host agent that does not know it runs it in none: upgrade hosts before frontends. */
  11: optional string process
}

/** The request is in the global bus. Slot and epoch say under whose ownership: a lower epoch than the owner's counts no more. */
struct Accepted {
  1: required i64 call, 2: required i32 slot, 3: required i64 epoch,
  /** Of a SendToProcess: its message is held for a moment before it is written, or until Hurry comes. */
  4: optional bool held
}

struct Ended {
  1: required i64 call,
  2: required i32 slot,
  3: required i64 epoch,
  4: required string executionId,
  5: required string status,
  6: optional Value output,
  7: optional Failure failure,
  8: required list<Hop> hops
}

/** @param error as HostAgentPort.cancel has it; a host agent that does not know it ends the execution as Sand.Cancelled */
struct Cancel { 1: required i64 call, 2: required string executionId, 3: required string cause, 4: optional string error }

struct Cancelled { 1: required i64 call, 2: required bool found }

/** What a TaskCallback has; output is JSON. */
struct Callback {
  1: required i64 call, 2: required string token, 3: required string kind, 4: optional binary output, 5: optional string error,
  6: optional string cause
}

struct CallbackAnswer { 1: required i64 call, 2: required string outcome }

/** A ProcessCommand, as JSON. */
struct CommandProcess { 1: required i64 call, 2: required binary command }

struct ListProcesses { 1: required i64 call, 2: required string application }

/** ProcessViews, each as JSON: that of the command's process, or all of an application; or why there is none. */
struct Processes { 1: required i64 call, 2: required list<binary> views, 3: optional Failure failure }

/**
 * A ProcessMessage, as JSON, but for its payload. Answered with Processes of no view, or the failure. With early, Accepted comes before that
 * once it is in the mailbox, with no slot; behind is what HostAgentPort.Early has. With mayBeHeld, who sends it asks with Hurry when somebody
 * waits for what Accepted says is held. A host that does not know of these leaves them out.
 */
struct SendToProcess {
  1: required i64 call,
  2: required binary message,
  3: required Value payload,
  4: optional bool early,
  5: optional string behindSender,
  6: optional i32 behindOrdinal,
  7: optional bool mayBeHeld
}

/** Somebody waits for that SendToProcess: what is held is written now. */
struct Hurry { 1: required i64 call }

struct Watch { 1: required i64 call, 2: required string executionId }

struct Hopped { 1: required i64 call, 2: required Hop hop }

/** @param epoch under which the host owns the execution's slot; 0: it does not */
struct WatchEnded { 1: required i64 call, 2: required i32 slot, 3: required i64 epoch }

/** The caller has lost interest: of a watch, nothing more comes. */
struct Forget { 1: required i64 call }

// --- applications

/** @param description JSON of sandbox and grains, as the registry keeps them; @param archive of the folder, see FolderArchive */
struct Build { 1: required i64 call, 2: required string application, 3: required binary description, 4: required Value archive }

struct Progress { 1: required i64 call, 2: required string line }

struct Built { 1: required i64 call, 2: required string bundle, 3: optional string dependencies, 4: required list<string> resolved }

/** The answer to any call that failed as a call. @param build the application's files are at fault */
struct Failed { 1: required i64 call, 2: required Failure failure, 3: required bool build }

struct Retire { 1: required i64 call, 2: required string application, 3: required i32 version }

/** upTo: the last version that is gone; older frontends do not say, and then it is the last one there has been. */
struct DeleteApplication { 1: required i64 call, 2: required string application, 3: optional i32 upTo }

struct Done { 1: required i64 call }

/**
 * With endsSince (ms) only how executions ended since then is asked for, with look (a QueuedEvents.Look, as JSON) only what waits for a
 * grain: a host that does not know of these leaves `ends` or `queued` out. With application only its sandboxes: one that does not know
 * of it tells of all.
 */
struct Status { 1: required i64 call, 2: optional i64 endsSince, 3: optional string application, 4: optional binary look }

struct GrainStatus {
  1: required string grain, 2: required string workerState, 3: i32 workerPid, 4: i32 idle, 5: i32 running, 6: i32 queued,
  7: i64 oldestMs, 8: i64 restarts, 9: double inPerSecond, 10: double outPerSecond
}

struct SandboxStatus {
  1: required string application, 2: required i32 version, 3: required string id, 4: required string state, 5: i64 startedMs,
  6: i32 executions, 7: required list<GrainStatus> grains,
  /** That it may use; 0: it does not run. */
  8: i64 memoryBytes
}

struct HostStatus {
  1: required i64 call, 2: required string host, 3: required string sandboxKind, 4: required bool draining,
  5: required list<SandboxStatus> sandboxes,
  /** As the codec writes a RecentEnds. */
  6: optional binary ends,
  /** As the codec writes QueuedEvents. */
  7: optional binary queued
}

/** HostAgentPort.drain of that host, which is the one that is asked. Answered with Done. */
struct Drain { 1: required i64 call, 2: required string host, 3: required bool out }

/** Sent when nothing else was for a while: a peer that is silent for longer is taken for dead. */
struct Ping {}

union Message {
  1: Hello hello, 2: Challenge challenge, 3: Proof proof, 4: Welcome welcome, 5: Refused refused,
  6: Ping ping, 7: Chunk chunk, 8: Credit credit,
  10: Invoke invoke, 11: Accepted accepted, 12: Ended ended, 13: Cancel cancel, 14: Cancelled cancelled,
  15: Watch watch, 16: Hopped hopped, 17: WatchEnded watchEnded, 18: Forget forget,
  20: Build build, 21: Progress progress, 22: Built built, 23: Failed failed, 24: Retire retire,
  25: DeleteApplication deleteApplication, 26: Done done, 27: Status status, 28: HostStatus hostStatus,
  29: Callback callback, 30: CallbackAnswer callbackAnswer,
  31: CommandProcess commandProcess, 32: ListProcesses listProcesses, 33: Processes processes,
  34: SendToProcess sendToProcess,
  35: Drain drain,
  36: Hurry hurry
}
