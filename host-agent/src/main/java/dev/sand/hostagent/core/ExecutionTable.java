package dev.sand.hostagent.core;

import dev.sand.event.DeletedVersions;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The executions of a shard: those that are open, those that are being stored, and results of those that have ended. */
final class ExecutionTable {
    /** Of a shard's room that an application may have taken, for its workflows to start more: the rest is for the others. */
    private static final int NESTED_SHARE = 2;

    /** What is open of one application. */
    private static final class Share {
        int executions;
        long bytes;
    }

    private final CoreContext context;
    private final Map<String, RunningExecution> open = new HashMap<>();
    /** Ended and durable, the record not yet known to be stored. */
    private final Map<String, RunningExecution> unrecorded = new HashMap<>();
    /** Ended before their beginning was known to be in the bus, by their ids: the end is not known to be there either. */
    private final Map<String, Withdrawal> withdrawn = new HashMap<>();
    private final RememberedResults remembered;
    private final Map<String, Share> shares = new HashMap<>();
    private DeletedVersions deleted = DeletedVersions.NONE;
    private long heldBytes;
    private int held;
    private boolean drainedTold;

    ExecutionTable(CoreContext context) {
        this.context = context;
        this.remembered = new RememberedResults(context);
    }

    RunningExecution get(String executionId) {
        return open.get(executionId);
    }

    int openCount() {
        return open.size();
    }

    Collection<RunningExecution> open() {
        return open.values();
    }

    int unrecordedCount() {
        return unrecorded.size();
    }

    // --- requests

    RunningExecution add(InvocationRequest request, int slot, Input.Recover recovery) {
        RunningExecution execution = new RunningExecution(context, request, slot, recovery);
        open.put(execution.id(), execution);
        long bytes = RunningExecution.bytes(request);
        heldBytes += bytes;
        Share share = shares.computeIfAbsent(request.application(), application -> new Share());
        share.executions++;
        share.bytes += bytes;
        return execution;
    }

    /** Until the journals of its slot have been read. */
    void hold(RunningExecution execution) {
        held++;
        execution.hold();
    }

    /** What is remembered of one that has ended here, or null. */
    RememberedResults.Entry remembered(String executionId, int slot) {
        return remembered.get(executionId, slot);
    }

    /** @return why there is no room for another one, or null */
    Failure full(InvocationRequest request, boolean holds) {
        CoreConfiguration limits = context.configuration;
        if (holds && held >= limits.maxHeldRequests()) {
            return Refusals.overloaded("requests that wait for a slot's journals to be read", limits.maxHeldRequests(), held + 1L);
        }
        long executions = open.size() + unrecorded.size() + withdrawn.size();
        if (executions >= limits.maxExecutions()) {
            return Refusals.overloaded("executions at once", limits.maxExecutions(), executions + 1);
        }
        long bytes = heldBytes + RunningExecution.bytes(request);
        return bytes > limits.maxHeldBytes() ? Refusals.overloaded("bytes of inputs at once", limits.maxHeldBytes(), bytes) : null;
    }

    /** @param request of a workflow that a workflow starts, which may be itself. @return why there is no room for it, or null */
    Failure fullOfNested(InvocationRequest request) {
        int executions = context.configuration.maxExecutions() / NESTED_SHARE;
        long bytes = context.configuration.maxHeldBytes() / NESTED_SHARE;
        Share share = shares.get(request.application());
        long more = RunningExecution.bytes(request);
        if (share != null && share.executions >= executions) {
            return Refusals.nested(request, "executions at once", executions, share.executions + 1L);
        }
        if (share != null && share.bytes + more > bytes) {
            return Refusals.nested(request, "bytes of inputs at once", bytes, share.bytes + more);
        }
        return full(request, false);
    }

    // --- slots

    /** From the journal: accepted once, so never refused. A request that was held under its id is this one. */
    void recover(Input.Recover recover) {
        InvocationRequest request = recover.request();
        int slot = context.slots.of(request.executionId());
        RunningExecution same = open.get(request.executionId());
        if (context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
            context.drop("slot " + slot + " of execution " + request.executionId() + " is not this host's", recover);
        } else if (same != null && !(same.isHeld() && context.has(Rule.HELD_JOINS_RECOVERED))) {
            context.drop("execution " + request.executionId() + " runs already", recover);
        } else if (isDeleted(request.application(), request.version())) {
            context.drop("application " + request.application() + " was deleted", recover);
        } else {
            context.counters.recovered++;
            if (same != null) {
                remove(same);
            }
            RunningExecution execution = add(request, slot, recover);
            if (same != null) {
                same.becomes(execution);
            }
            if (request.process() != null) {
                context.processes.arrivals().comes(execution);
            }
            execution.begin();
            context.stops.onKnown(execution.id());
        }
    }

    void alreadyEnded(Input.AlreadyEnded ended) {
        int slot = context.slots.of(ended.executionId());
        if (context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
            context.drop("slot " + slot + " of execution " + ended.executionId() + " is not this host's", ended);
            return;
        }
        long epoch = context.slots.epoch(slot);
        Runnable mark = () -> {
            if (context.mayAct(slot, epoch)) { // else what it sent may be the next owner's to give
                context.emit(new Action.MarkEnded(ended.mark()));
            }
        };
        if (!context.processes.sends().delays(ended.executionId(), mark)) {
            mark.run();
        }
        remembered.add(ended.executionId(), null, true, context.slots.epoch(slot));
        RunningExecution held = open.get(ended.executionId());
        if (held != null && held.isHeld()) {
            held.ending().isInItsRecord();
        }
    }

    /** Its journals have been read: what was held begins. */
    void ready(int slot) {
        for (RunningExecution execution : of(slot)) {
            if (execution.isHeld() && !context.stops.onUnknown(execution)) {
                held--;
                execution.begin();
            }
        }
    }

    void lost(int slot) {
        for (RunningExecution execution : of(slot)) {
            execution.ending().moved();
        }
        unrecorded.values().removeIf(execution -> {
            boolean isLost = execution.slot() == slot;
            if (isLost) {
                execution.ending().unrecorded();
            }
            return isLost;
        });
        withdrawn.values().removeIf(withdrawal -> withdrawal.slot() == slot);
        checkDrained();
    }

    // --- deleted applications

    /** All that runs of it ends, and nothing of it begins any more, whoever has not heard of it yet. */
    void delete(Input.Delete delete) {
        deleted = deleted.with(delete.application(), delete.upTo());
        List<RunningExecution> running = open.values().stream()
                .filter(execution -> isDeleted(execution.request().application(), execution.request().version())).toList();
        running.forEach(execution -> execution.ending().cancelled(delete.cause()));
    }

    boolean isDeleted(String application, int version) {
        return deleted.covers(application, version);
    }

    private List<RunningExecution> of(int slot) {
        List<RunningExecution> found = new ArrayList<>();
        for (RunningExecution execution : open.values()) {
            if (execution.slot() == slot) {
                found.add(execution);
            }
        }
        return found;
    }

    // --- ends

    private void remove(RunningExecution execution) {
        if (open.remove(execution.id(), execution)) {
            long bytes = RunningExecution.bytes(execution.request());
            heldBytes -= bytes;
            Share share = shares.get(execution.request().application());
            share.bytes -= bytes;
            if (--share.executions == 0) {
                shares.remove(execution.request().application());
            }
        }
        if (execution.isHeld()) {
            held--;
        }
    }

    /**
     * @param result null: it was refused, or has moved, and is not known under its id afterwards
     * @param isKept the bus or its record has it too, or is about to
     */
    void ended(RunningExecution execution, InvocationResult result, boolean isKept, boolean awaitsRecord) {
        remove(execution);
        if (awaitsRecord) {
            unrecorded.put(execution.id(), execution);
        }
        if (result != null) {
            remembered.add(execution.id(), result, isKept, execution.epoch());
        }
        context.stops.onKnown(execution.id());
        checkDrained();
    }

    /** Until its end is in the bus, that could be taken for the end of another one of its id. */
    void withdraw(Withdrawal withdrawal) {
        withdrawn.put(withdrawal.executionId(), withdrawal);
        withdrawal.write();
    }

    /** One of that id was given up, and its end is not known to be in the bus. */
    boolean isWithdrawn(String executionId) {
        return withdrawn.containsKey(executionId);
    }

    void onJournaled(Input.Journaled journaled) {
        RunningExecution execution = open.get(journaled.executionId());
        Withdrawal withdrawal = withdrawn.get(journaled.executionId());
        if (execution != null) {
            execution.onJournaled(journaled);
        } else if (withdrawal == null || journaled.sequence() == 0) {
            context.drop("execution " + journaled.executionId() + " does not run (any more)", journaled);
        } else if (journaled.failure() == null) {
            withdrawn.remove(journaled.executionId());
        } else {
            context.later(() -> {
                if (withdrawn.get(journaled.executionId()) == withdrawal) {
                    withdrawal.write();
                }
            });
        }
    }

    /** It has ended, and its record is not yet known to be stored. */
    boolean isUnrecorded(String executionId) {
        return unrecorded.containsKey(executionId);
    }

    /** The same, and its request is not known to be in the bus either: a crash may lose all of it. */
    boolean isUnsure(String executionId) {
        RunningExecution execution = unrecorded.get(executionId);
        return execution != null && !execution.backups().isDurable();
    }

    void onRecorded(Input.Recorded recorded) {
        RunningExecution execution = unrecorded.get(recorded.executionId());
        if (execution == null) {
            context.drop("no record of " + recorded.executionId() + " is awaited", recorded);
        } else if (recorded.failure() == null) {
            unrecorded.remove(recorded.executionId());
            execution.ending().recorded();
            checkDrained();
        } else {
            context.counters.recordFailures++;
            execution.story().recordAgain();
        }
    }

    /** Tells that it has ended once that is stored: now, when no record of it is awaited. */
    void afterRecord(String executionId, Input.Listener<Boolean> listener, boolean byThis) {
        RunningExecution execution = unrecorded.get(executionId);
        if (execution == null) {
            int slot = context.slots.of(executionId);
            context.emit(new Action.AnswerCancel(listener, byThis, slot, context.slots.epoch(slot)));
        } else {
            execution.ending().tellOnceRecorded(listener, byThis);
        }
    }

    /** Some that ran in the process have ended, and are not yet known to be stored. */
    boolean hasUnrecorded(String application, String process) {
        return unrecorded.values().stream().map(RunningExecution::request)
                .anyMatch(request -> process.equals(request.processId()) && request.application().equals(application));
    }

    /** The open event of that id, whatever its attempt. */
    Event openEvent(String eventId) {
        int end = eventId.indexOf('/');
        RunningExecution execution = end < 0 ? null : open.get(eventId.substring(0, end));
        return execution == null ? null : execution.openEvent(eventId.substring(end + 1));
    }

    void drain() {
        context.draining = true;
        drainedTold = false;
        for (Application application : new ArrayList<>(context.applications.values())) {
            application.settle();
        }
        checkDrained();
    }

    void checkDrained() {
        if (!context.draining || !open.isEmpty() || !unrecorded.isEmpty() || !context.guests.isEmpty()) {
            return;
        }
        for (Application application : context.applications.values()) {
            if (!application.sandbox().isNone()) {
                return;
            }
        }
        if (!drainedTold) {
            drainedTold = true;
            context.emit(new Action.Drained());
        }
    }
}
