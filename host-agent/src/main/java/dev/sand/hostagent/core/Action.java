package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessLook;
import dev.sand.event.ProcessView;
import dev.sand.event.TaskCallback;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution;
import dev.sand.workflow.GrowingSignals;
import dev.sand.workflow.objects.ObjectCall;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What a shard wants done. Adapters perform actions on other threads and report every outcome as an input. */
public sealed interface Action {
    /** Read the version from the registry. Answer: ApplicationLoaded. */
    record LoadApplication(AppKey app) implements Action {}

    /** Answer: SandboxStarted or SandboxFailed, later SandboxEnded. The id is new for every start. */
    record StartSandbox(AppKey app, String sandbox, ApplicationVersion version) implements Action {}

    /** Every shard of this host is to have it, this one too. */
    record TellShards(Input input) implements Action {}

    record StopSandbox(AppKey app, String sandbox) implements Action {}

    /** Fork a worker from the supervisor. Answer: WorkerReady, WorkerFailed or WorkerExited. */
    record StartWorker(AppKey app, String sandbox, String worker, GrainSpec grain) implements Action {}

    record StopWorker(AppKey app, String sandbox, String worker) implements Action {}

    /** Fork instances ahead of need. Answer: a Take of each, or ForkFailed, or InstanceExited. */
    record Spawn(AppKey app, String worker, List<String> instances) implements Action {}

    /**
     * Answers the instance's take: the one hop of the hot path.
     *
     * @param process the cloud process that it runs in, or null; @param state of its state what it is told ({@link StateAhead})
     */
    record HandOver(AppKey app, String instance, String eventId, String executionId, String grain, int attempt,
                    long remainingMs, Payload payload, String traceparent, String process,
                    List<StateWrite> state) implements Action {}

    /** Answers the instance's take with nothing: it ends. */
    record Dismiss(AppKey app, String instance) implements Action {}

    /** SIGKILL to the instance's process group, through the supervisor; then, when it does not end, through the engine. */
    record Kill(AppKey app, String sandbox, String instance, int pid) implements Action {}

    /**
     * A backup for the global bus, in the journal of its application, partition {@code slot}, under the owner's epoch.
     * Records of one execution are numbered, and appended in the order in which they are given; one that failed may be given
     * again after later ones. A reader puts them in order of their numbers; one of a higher epoch replaces all of lower
     * epochs from its number on; and what lies behind the first number that is missing does not count. Of a process, and of all
     * executions in it, the records are kept in the order in which they are given, whatever the bus does not take at first.
     *
     * @param process of which it is, or in which the execution runs; null: none
     * @param carried a change of the process in the same record, with ChangeJournaled for its answer; null: none
     */
    record Journal(String executionId, String application, int slot, long epoch, long sequence, Backup backup, Await await,
                   String process, Carried carried) implements Action {
        public Journal(String executionId, String application, int slot, long epoch, long sequence, Backup backup, Await await) {
            this(executionId, application, slot, epoch, sequence, backup, await, null, null);
        }

        public boolean awaited() {
            return await.isTold();
        }
    }

    /** Whether Journaled is to answer a Journal. */
    enum Await {
        NO,
        /** When it got there; it may also be left out when the execution's end is right behind it, and failing is not told. */
        IF_WRITTEN,
        /** When no process's death can lose it; the disk follows within milliseconds. */
        IN_BUS,
        /** When it is on the disk. */
        YES;

        /** Whatever becomes of it. */
        public boolean isTold() {
            return this == IN_BUS || this == YES;
        }
    }

    /** What is backed up (SAND 3.2): the flags of an execution's events. One record a transition. */
    sealed interface Backup {
        /** The request is in: its first events are <em>processing</em>. @param ofGrain it is of a single grain */
        record Accepted(InvocationRequest request, boolean ofGrain) implements Backup {
            public Accepted(InvocationRequest request) {
                this(request, false);
            }
        }

        /**
         * What the signal is about is <em>finished</em>, and what follows from it is <em>processing</em>: cause and effects in
         * one record, so that no crash can part them. Values by reference are in the global layer before it (<em>storing</em>).
         *
         * @param effects what the state machine commanded; a replay makes them again from the signal
         */
        record Finished(Execution.Signal signal, List<Execution.Command> effects) implements Backup {
            /** The steps whose events are processing from now on. */
            public List<String> processing() {
                return effects.stream().filter(Execution.Command.RunTask.class::isInstance)
                        .map(effect -> ((Execution.Command.RunTask) effect).step()).toList();
            }
        }

        /**
         * A new owner runs again what was processing under the last one: the attempt that each of these steps is in now. In
         * the bus before any of them runs, so that what takes its hosts down with it is not run for ever.
         */
        record Resumed(Map<String, Integer> attempts) implements Backup {}

        record Ended(InvocationResult.Status status) implements Backup {}

        /** A process has changed, and no execution with it: all of it is what the record carries. */
        record Changed() implements Backup {}
    }

    /** Run {@code execution.on(signal)} on the expression pool. Answer: Evaluated. */
    record Evaluate(String executionId, Execution execution, Execution.Signal signal) implements Action {}

    /**
     * Do something with the application's objects, for a step of an execution; by its slot's owner of that epoch. Answer:
     * ObjectsCalled, also when it could not be done.
     */
    record CallObjects(String application, String executionId, int slot, long epoch, String step, ObjectCall call) implements Action {}

    /**
     * The execution's one answer, by its slot's owner of that epoch. {@code slot} -1: nothing was begun under any epoch (a
     * refusal, or the slot is another's), and the answer may go out whoever owns what.
     */
    record Respond(InvocationListener listener, InvocationResult result, int slot, long epoch) implements Action {}

    /** Answers a Callback. @param outcome null: nothing came of it, for the reason given, and it may be brought again */
    record AnswerCallback(Input.Listener<TaskCallback.Outcome> listener, TaskCallback.Outcome outcome, Failure failure) implements Action {}

    /**
     * Answers a Cancel. @param failure null: it runs no more; otherwise why that is not known
     *
     * @param slot of the execution, and the epoch under which its owner says so; -1: nobody does
     */
    record AnswerCancel(Input.Listener<Boolean> listener, boolean byThis, Failure failure, int slot, long epoch) implements Action {
        public AnswerCancel(Input.Listener<Boolean> listener, Failure failure) {
            this(listener, false, failure, -1, 0);
        }

        public AnswerCancel(Input.Listener<Boolean> listener, boolean byThis, int slot, long epoch) {
            this(listener, byThis, null, slot, epoch);
        }
    }

    /** Answers a CallProcess. */
    record AnswerProcessCall(ProcessCall.Listener listener, ProcessCall.Answer answer) implements Action {}

    /**
     * Answers a CallProcess with what an execution that ended here gave by reference: as it is while it is in this host's memory, else as
     * its record has it, or as it is brought there.
     *
     * @param execution that ended; @param caller the execution that asks: what is brought is kept until that ends
     * @param isFresh it ended a moment ago: what was in this host's memory then still is
     */
    record AnswerOutput(String application, String execution, String caller, Payload output, boolean isFresh, ProcessCall.Listener listener)
            implements Action {}

    /**
     * Look for a process at its owner, which is another host. Answer: FromElsewhere.
     *
     * @param then the core's own, told of it; or why it cannot be addressed
     */
    record FindElsewhere(String application, int version, String process, BiConsumer<ProcessView, Failure> then) implements Action {}

    /**
     * Give a message to the owner of the process that it is for. Answer: FromElsewhere, once it is durable there.
     *
     * @param early null: nobody asks before; else its {@code taken} is the core's own, told with FromElsewhere too
     * @param then as above
     */
    record SendElsewhere(String application, int version, Change.Outgoing message, long waitMs, HostAgentPort.Early early,
                         Consumer<Failure> then) implements Action {}

    /**
     * Have the owner of a process run a function in it. Answers: FromElsewhere, twice at most.
     *
     * @param caller the execution that asks: what comes back is kept until that ends
     * @param accepted the core's own: it will run; @param then its end, or why it does not run
     */
    record InvokeElsewhere(InvocationRequest request, String caller, Runnable accepted, Consumer<InvocationResult> then) implements Action {}

    /** Tell of the application's processes on all hosts. Answer: FromElsewhere. */
    record ListElsewhere(String application, BiConsumer<List<ProcessView>, Failure> then) implements Action {}

    /**
     * How an execution of the application ended, as its record says. Answer: FromElsewhere.
     *
     * @param caller the execution that asks: a large output is kept until that ends
     * @param then the core's own; null and null: it has no record that says so
     */
    record FindResult(String application, String execution, String caller, BiConsumer<InvocationResult, Failure> then) implements Action {}

    /** Tell why the journal takes nothing now. Answer: FromElsewhere. @param then the core's own; null: nothing is known to be wrong */
    record AskJournal(Consumer<String> then) implements Action {}

    /** Write what AlreadyEnded brought. */
    record MarkEnded(Runnable mark) implements Action {}

    /** A message that another host brought is in its mailbox. @param hurry the core's own: has it written now; null: it is on its way */
    record TellTaken(Consumer<Runnable> taken, Runnable hurry) implements Action {}

    /** Asks another host as it said in {@link HostAgentPort.Early}. */
    record Hurry(Runnable asked) implements Action {}

    /** Answers a Deliver. @param failure null: it is durable */
    record AnswerDelivery(Consumer<Failure> listener, Failure failure) implements Action {}

    /** Answers a Command about a process. @param view null: not done, for the reason given */
    record AnswerCommand(Input.Listener<ProcessView> listener, ProcessView view, Failure failure) implements Action {}

    /**
     * Tell what is in a process.
     *
     * @param view as it is told of
     * @param page what there is to tell, or null
     * @param value the one that was asked for, as the process holds it; null, and no page: its image tells
     */
    record AnswerLook(Input.Listener<ProcessView> listener, ProcessView view, ProcessLook look, ProcessContents page, Payload value)
            implements Action {}

    /** Make one value of several, a list, in order; a large one is kept for the process. Answer: Joined. @param then the core's own */
    record Join(String application, List<Payload> values, Consumer<Payload> then) implements Action {}

    /**
     * Read the image of a process, if it has one, and bring its values, and those of these changes, from the global data layer into this
     * host's memory, kept for the process. Answer: ProcessRestored.
     *
     * @param changes that the journal has of it
     * @param values false: without any, those of the changes as the journal names them; it is to be killed
     * @param then the core's own
     */
    record RestoreProcess(String application, String process, List<ProcessChange> changes, boolean values,
                          BiConsumer<Restored, Failure> then) implements Action {}

    /** @param image null: there is none; @param place where it lives, or did; null: it was never moved; @param changes with their values here */
    record Restored(ProcessImage image, ProcessPlace place, List<ProcessChange> changes) {
        public Restored(ProcessImage image, List<ProcessChange> changes) {
            this(image, null, changes);
        }
    }

    /**
     * Write all of a process to the global data layer, by its slot's owner of that epoch. Answer: ImageWritten.
     *
     * @param place its slot, and how often it was moved before
     * @param swapped it is to leave this host's memory then; @param view as it is to be told of while it is there
     * @param then the core's own, told why it could not be written, or null
     */
    record WriteImage(String application, String process, ProcessPlace place, long epoch, boolean swapped, ProcessImage image,
                      ProcessView view, Consumer<Failure> then) implements Action {}

    /**
     * The process lives elsewhere from now on, says the owner of where it lived: its image has all of it. Answer: ImageMoved.
     *
     * @param number of its last change, which says so
     * @param then the core's own, told why it is not known to, or null
     */
    record MoveImage(String application, String process, ProcessPlace from, long epoch, long number, ProcessPlace to,
                     Consumer<Failure> then)
            implements Action {}

    /**
     * Bring a value of a process's state from its image into this host's memory, kept for the process. Answer: ValueLoaded.
     *
     * @param then the core's own, told what it is, or why it cannot be had
     */
    record LoadValue(String application, String process, String key, BiConsumer<Payload, Failure> then) implements Action {}

    /**
     * Bring a value that the journal of another process names from the global data layer into this host's memory, kept for a process.
     * Answer: ValueBrought.
     *
     * @param then the core's own, told what it is, or why it cannot be had
     */
    record BringValue(String application, Payload named, BiConsumer<Payload, Failure> then) implements Action {}

    /** Delete the image of a process, if it has one, by its slot's owner of that epoch. Answer: ImageDeleted, once that is done. */
    record DeleteImage(String application, String process, ProcessPlace place, long epoch, Runnable then) implements Action {}

    /** Told of an image. */
    @FunctionalInterface
    interface ImageListener {
        /** @param view null: there is none, or that is not known; @param place null: it was never moved */
        void on(ProcessView view, ProcessPlace place, Failure failure);
    }

    /** Tell of a process that is not here as its image does, and where it lives. Answer: ImageFound. @param then the core's own */
    record FindImage(String application, String process, ImageListener then) implements Action {}

    /** Tell of all images of the application. Answer: ImagesListed. @param then the core's own */
    record ListImages(String application, BiConsumer<List<ProcessView>, Failure> then) implements Action {}

    /** Values of a process that it has no more: what they are by reference may go. */
    record Free(String application, List<Payload> values) implements Action {}

    /** A step asks something of the platform. Answer: Answered. */
    record Ask(String executionId, String step, Question question) implements Action {}

    /** Progress for a watcher; {@code hop} null: the execution has ended, or does not run here. */
    record Notify(ProgressListener listener, InvocationResult.Hop hop) implements Action {}

    /** The request is in the global bus, by its slot's owner of that epoch. */
    record Accepted(InvocationListener listener, int slot, long epoch) implements Action {}

    /**
     * Keep what happened for the invocation API. Written again when CPU time and memory of late exits are known.
     * Answered with Recorded only when {@code awaited}: a durable execution's end is journaled once its record is stored,
     * so that no crash loses a result. A record of a higher epoch is never overwritten by one of a lower.
     *
     * @param history the workflow's signals so far, to be kept beside it; empty: they are too many, and none is kept; null: what
     *     is kept stays
     * @param packing of the history, as often as it is kept
     */
    record Record(InvocationRecord record, boolean awaited, int slot, long epoch, List<Execution.Signal> history, GrowingSignals packing)
            implements Action {}

    /** Put the event into the work queue of its grain, to be run by that host. Answer: SentAway, then Returned. */
    record SendAway(String host, RemoteEvent event) implements Action {}

    /** Answer to RunForOwner: back to the owner of the event's execution, through the global bus. */
    record SendBack(RemoteResult result) implements Action {}

    /** Nothing runs any more. */
    record Drained() implements Action {}

    /** An illegal or stale input, for the log and a counter. */
    record Dropped(String reason, Input input) implements Action {}
}
