package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessView;
import dev.sand.event.TaskCallback;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Everything that can happen to a shard. Inputs that answer an action carry the attempt or id that the action carried, so
 * that a stale one is known, counted and dropped.
 */
public sealed interface Input {
    /** An application's version on this host: the unit that has a sandbox. @param process whose own the sandbox is; null: nobody's */
    record AppKey(String application, int version, String process) {
        public AppKey(String application, int version) {
            this(application, version, null);
        }
    }

    // --- requests

    record Invoke(InvocationRequest request, InvocationListener listener) implements Input {}

    /** Tell the listener of every hop from now on, and of the end; at once when it runs nowhere here. */
    record Watch(String executionId, ProgressListener listener) implements Input {}

    record Unwatch(String executionId, ProgressListener listener) implements Input {}

    /** Told once of what has come of what it asked for, on the shard's thread. */
    interface Listener<T> {
        void onDone(T what);

        /** It may be asked for again when that says so. */
        void onFailed(Failure failure);
    }

    /**
     * Answered with AnswerCancel.
     *
     * @param error and cause as HostAgentPort.cancel has them; @param listener told that it has ended, for good: no crash makes it run
     *     on; and whether it ran until this
     */
    record Cancel(String executionId, String error, String cause, Listener<Boolean> listener) implements Input {}

    /** The application is gone. @param upTo its last version: what comes of that one or an earlier one is not taken any more */
    record Delete(String application, int upTo, String cause) implements Input {}

    /** Somebody reports on the step of an execution that waits for its token. Answered with AnswerCallback. */
    record Callback(String executionId, String step, TaskCallback what, Listener<TaskCallback.Outcome> listener) implements Input {}

    /** Answer to Ask. */
    record Answered(String executionId, String step, Question.Answer answer) implements Input {}

    /** Answer to LoadApplication; failure set when there is no such version. */
    record ApplicationLoaded(AppKey app, ApplicationVersion version, Failure failure) implements Input {}

    record Retire(AppKey app) implements Input {}

    /** Its workers have been told others: what they fork from here on has these. */
    record SecretsChanged(String application) implements Input {}

    /** Take nothing new, end what runs; answered with Drained. */
    record Drain() implements Input {}

    /** Take what comes again. */
    record Resume() implements Input {}

    // --- sandboxes and workers

    /** @param sandbox the id given in StartSandbox; @param warm it came from the blank pool */
    record SandboxStarted(AppKey app, String sandbox, boolean warm) implements Input {}

    /** @param forGood another start fails too */
    record SandboxFailed(AppKey app, String sandbox, String cause, boolean forGood) implements Input {}

    /** The sandbox is gone: the container ended, the supervisor's connection closed, the engine said so. */
    record SandboxEnded(AppKey app, String sandbox, String cause) implements Input {}

    record WorkerReady(AppKey app, String worker, int pid) implements Input {}

    record WorkerFailed(AppKey app, String worker, Failure failure) implements Input {}

    record WorkerExited(AppKey app, String worker, String cause) implements Input {}

    /**
     * Memory on the host is short: stop idle sandboxes, least recently used first, and swap out idle processes, least invoked first.
     *
     * @param invoked over the data plane lately, by {@code application/process}; absent: not at all
     * @param sandboxes false: what those use is not what is short
     */
    record MemoryPressure(Map<String, Long> invoked, boolean sandboxes) implements Input {
        public MemoryPressure() {
            this(Map.of(), true);
        }
    }

    /**
     * An application has all the large values on this host that it may have: of its processes those are swapped out in which nothing runs,
     * least invoked first.
     *
     * @param invoked as above; @param leaving told how many are on their way out then
     */
    record RoomShort(String application, Map<String, Long> invoked, IntConsumer leaving) implements Input {}

    /** The host agent's heap, in which small values lie, is full, or is so no more. */
    record HeapFull(boolean isFull) implements Input {}

    /** The tenant may run more instances on this host than before: one has ended, or the limit is higher. */
    record InstancesFreed(String tenant) implements Input {}

    /** A sandbox of the tenant's needs memory that it does not have any more: one that is idle is to make room. */
    record RoomWanted(String tenant) implements Input {}

    // --- instances (from the local bus)

    /** An instance waits for an event on its connection. */
    record Take(AppKey app, String instance, int pid) implements Input {}

    record Finish(AppKey app, String instance, String eventId, int attempt, Payload output,
                  List<Execution.Published> published, long startedNs, long endedNs) implements Input {}

    /** @param stateWrites of the process that the attempt runs in; values by reference are kept for it */
    record FinishInProcess(Finish finish, List<StateWrite> stateWrites) implements Input {}

    /** An instance asks for something of the process that its attempt runs in. Answered with AnswerProcessCall. */
    record CallProcess(AppKey app, String instance, String eventId, int attempt, ProcessCall call, ProcessCall.Listener listener)
            implements Input {}

    /** Somebody wants something done with a process. Answered with AnswerCommand. */
    record Command(ProcessCommand command, Listener<ProcessView> listener) implements Input {}

    /**
     * A message of a process whose owner is another host, its payload kept for the process that it is for. Answered with AnswerDelivery.
     *
     * @param early null: its sender waits for that; else TellTaken comes before
     */
    record Deliver(ProcessMessage message, HostAgentPort.Early early, Consumer<Failure> listener) implements Input {
        public Deliver(ProcessMessage message, Consumer<Failure> listener) {
            this(message, null, listener);
        }
    }

    /** Answer to what was asked of other hosts, or of the global data layer for one that may have been theirs. */
    record FromElsewhere(Runnable then) implements Input {}

    /** Answer to Join. */
    record Joined(Action.Join join, Payload joined) implements Input {}

    /** The processes that are here. */
    record ListProcesses(String application, BiConsumer<List<ProcessView>, Failure> listener) implements Input {}

    record Fail(AppKey app, String instance, String eventId, int attempt, Failure failure, long startedNs, long endedNs)
            implements Input {}

    /** Buffered until the attempt finishes. */
    record Publish(AppKey app, String instance, String eventId, int attempt, Execution.Published published)
            implements Input {}

    /**
     * The instance's socket closed: the process is gone or past use.
     *
     * @param unread it had not read all that was written to it: an event handed over never reached its handler
     */
    record InstanceClosed(AppKey app, String instance, boolean unread) implements Input {
        public InstanceClosed(AppKey app, String instance) {
            this(app, instance, false);
        }
    }

    /** The worker reaped the instance. Comes before or after InstanceClosed; the first of the two counts as death. */
    record InstanceExited(AppKey app, String instance, int exitCode, int signal, long cpuUs, long peakMemoryBytes, String note)
            implements Input {}

    record ForkFailed(AppKey app, String instance, String cause) implements Input {}

    /**
     * The event of a HandOver could not be written: the instance was gone before its handler saw it, so the event is run
     * again. Comes before the InstanceClosed of that instance.
     */
    record HandOverFailed(AppKey app, String instance, String eventId, int attempt) implements Input {}

    // --- the engine, off the shard

    /** Answer to Evaluate: the commands that the signal gave. */
    record Evaluated(String executionId, List<Execution.Command> commands, Failure failure) implements Input {}

    /** Answer to CallObjects. @param output what it gave; null: it failed, for that cause */
    record ObjectsCalled(String executionId, String step, Payload output, String cause) implements Input {}

    // --- the global bus

    /**
     * Answer to Journal. Success is told when the host may act (Membership.mayAct), if need be later: the record may have come
     * behind another owner's claim, and be void. Then SlotLost comes instead.
     */
    record Journaled(String executionId, long sequence, Failure failure) implements Input {}

    /** Answer to a Journal that carries a change: instead of Journaled, and told as that is. */
    record ChangeJournaled(Carried carried, Failure failure) implements Input {}

    /** Answer to an awaited Record. */
    record Recorded(String executionId, Failure failure) implements Input {}

    /**
     * An execution that an earlier owner of its slot accepted and did not end, from its journal as {@link Action.Journal}
     * says it is to be read. Given between SlotAcquired and SlotReady; not given when its record says that it has ended (then only
     * Ended is missing in the journal).
     *
     * @param replay the signals of its Finished records, in order
     * @param next the first number that no record has
     * @param attempts of the steps that earlier owners resumed, from all Resumed records that are not void, those
     *                 behind a missing number too; the highest of each
     * @param elapsedMs from its acceptance to now, both by the global bus's clock; -1 when that is not known
     * @param agesMs of the signals, in their order: from when the bus had it to now, by the bus's clock; -1 when that is not known
     * @param changed what its records have of the process that it runs in, and the journal alone cannot tell whether it counts; or null
     */
    record Recover(InvocationRequest request, List<Execution.Signal> replay, long next, Map<String, Integer> attempts,
                   long elapsedMs, List<Long> agesMs, Changed changed)
            implements Input {
        public Recover(InvocationRequest request, List<Execution.Signal> replay, long next, Map<String, Integer> attempts,
                       long elapsedMs, List<Long> agesMs) {
            this(request, replay, next, attempts, elapsedMs, agesMs, null);
        }

        /** As the records of a bus without times tell it. */
        public Recover(InvocationRequest request, List<Execution.Signal> replay, long next, Map<String, Integer> attempts,
                       long elapsedMs) {
            this(request, replay, next, attempts, elapsedMs, Collections.nCopies(replay.size(), -1L));
        }

        public Recover(InvocationRequest request, List<Execution.Signal> replay) {
            this(request, replay, replay.size() + 1L, Map.of(), -1);
        }

        /** As if it had not ended. */
        Recover withoutItsEnd() {
            return new Recover(request, List.of(), changed.endAt, attempts, elapsedMs, List.of());
        }
    }

    /**
     * Changes that an execution has made of its process. Such a one counts only with all before it: what lies behind one that neither
     * the journal nor the image has was promised to nobody.
     *
     * @param createdMs which process of its id that is
     * @param made the number of the change with which messages made the execution; 0: none did; {@link #VOID}: it does not count
     * @param ended the number of that with which it ended; 0: it has not
     * @param endAt the number of that record among the execution's
     */
    record Changed(long createdMs, long made, long ended, long endAt) {
        public static final long VOID = Long.MAX_VALUE;
    }

    /**
     * A process that an earlier owner of its slot had. Given between SlotAcquired and SlotReady, before the executions that run in it.
     *
     * @param changes that the journal has of it, in order and without a gap; none: those that it had were void
     * @param bases under which it has them
     * @param unsent by execution that is open, what it sends with an end that is durable: perhaps not delivered
     * @param slot whose journal has it; -1: that which its id falls into
     * @param followed another one of its name was made there: when that was, this one was dead and its image deleted
     */
    record RecoverProcess(String application, String process, long createdMs, List<ProcessChange> changes, List<Long> bases,
                          Map<String, List<Change.Outgoing>> unsent, int slot, boolean followed) implements Input {
        public RecoverProcess(String application, String process, long createdMs, List<ProcessChange> changes, List<Long> bases,
                              Map<String, List<Change.Outgoing>> unsent, int slot) {
            this(application, process, createdMs, changes, bases, unsent, slot, false);
        }

        public RecoverProcess(String application, String process, long createdMs, List<ProcessChange> changes, List<Long> bases,
                              Map<String, List<Change.Outgoing>> unsent) {
            this(application, process, createdMs, changes, bases, unsent, -1);
        }

        public RecoverProcess in(int of) {
            return new RecoverProcess(application, process, createdMs, changes, bases, unsent, of, followed);
        }
    }

    /** Answer to RestoreProcess. @param restored null: it cannot be done, for that reason */
    record ProcessRestored(Action.RestoreProcess restore, Action.Restored restored, Failure failure) implements Input {}

    /** Answer to WriteImage. */
    record ImageWritten(Action.WriteImage write, Failure failure) implements Input {}

    /** Answer to LoadValue. @param value null: it cannot be had, for that reason */
    record ValueLoaded(Action.LoadValue load, Payload value, Failure failure) implements Input {}

    /** Answer to BringValue. @param value null: it cannot be had, for that reason */
    record ValueBrought(Action.BringValue bring, Payload value, Failure failure) implements Input {}

    /** Answer to MoveImage. */
    record ImageMoved(Action.MoveImage move, Failure failure) implements Input {}

    /** Answer to DeleteImage. */
    record ImageDeleted(Action.DeleteImage delete) implements Input {}

    /** Answer to FindImage. */
    record ImageFound(Action.FindImage find, ProcessView view, ProcessPlace place, Failure failure) implements Input {
        public ImageFound(Action.FindImage find, ProcessView view, Failure failure) {
            this(find, view, null, failure);
        }
    }

    /** Answer to ListImages. @param failure or null */
    record ImagesListed(Action.ListImages list, List<ProcessView> views, Failure failure) implements Input {}

    /**
     * What an owner of a slot has read of its journals. It counts under that owner's epoch alone: this host may have lost the slot since,
     * and have it again, and what another one did in between is not in it.
     *
     * @param what {@link Recover}, {@link RecoverProcess} or {@link AlreadyEnded}
     */
    record Taken(int slot, long epoch, Input what) implements Input {}

    /**
     * An execution that its slot's journals have open, and whose record says that it has ended. Given between SlotAcquired and
     * SlotReady. Whoever asks for it again, perhaps before that was known, is told to look at its record.
     *
     * @param mark says so in the journal too: once what it sent at its end has been received
     */
    record AlreadyEnded(String executionId, Runnable mark) implements Input {}

    // --- other hosts

    /** The slot is ours under this epoch; its journals are being read. Requests for it wait until SlotReady. */
    record SlotAcquired(int slot, long epoch) implements Input {}

    /** Every execution of the slot that the journal left open was given by Recover before. */
    record SlotReady(int slot, long epoch) implements Input {}

    /** The slot is another's: its executions have no more effects here, and their callers are told {@code Sand.Moved}. */
    record SlotLost(int slot, long epoch) implements Input {}

    /** Hosts as they are now, for placement; ours among them. */
    record HostsChanged(List<HostCard> hosts) implements Input {}

    /**
     * An event that its execution's owner sent here to be run; the same (event, attempt) given twice is run once. Each is
     * answered with SendBack.
     *
     * @param again it was in the work queue before its slot was this host's: the host that had it may have been lost with it.
     *              It is given back as lost, so that its owner counts that, and what takes hosts down with it ends
     */
    record RunForOwner(RemoteEvent event, boolean again) implements Input {
        public RunForOwner(RemoteEvent event) {
            this(event, false);
        }
    }

    /** How an event that was sent to another host ended there. */
    record Returned(RemoteResult result) implements Input {}

    /**
     * Answer to SendAway: the event is in the other host's work queue, or is not; retryable: the global bus does not take it now. It may
     * come after the event was taken back.
     */
    record SentAway(String executionId, String eventId, int attempt, Failure failure) implements Input {}

    /** Time passed: the clock's reading comes with every input; this one has nothing else. */
    record Tick() implements Input {}
}
