package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.DedicatedSpec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.LifeCycle;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The cloud processes of a shard's applications (PraaS 4.1): made, deleted, swapped out when memory is short; and how the functions
 * that run in them begin and end. What a running function asks of its process is {@link ProcessCalls}', what the control plane wants is
 * {@link ProcessCommands}', what journals of before have is {@link ProcessRecovery}'s, and {@link ProcessTable} knows where they are.
 */
final class Processes {
    /** Swapped out at once when memory is short. */
    private static final int UNDER_PRESSURE = 8;
    private final CoreContext context;
    private final ProcessTable table;
    private final ProcessCalls calls;
    private final ProcessCommands commands;
    private final DeferredSends deferred;
    private final SendsUnderWay sends = new SendsUnderWay();
    private final Elsewhere elsewhere;
    private final LateSends late;
    private final ProcessDeliveries deliveries;
    private final HandOver hands;
    private final Arrivals arrivals;
    private final Stranded stranded;
    private final ProcessRecovery recovery;
    private final JournalBytes journals;
    private long lastMadeMs;

    Processes(CoreContext context) {
        this.context = context;
        this.journals = new JournalBytes(context.configuration.journaledBytes());
        this.table = new ProcessTable(context);
        this.deferred = new DeferredSends(this);
        this.calls = new ProcessCalls(context, this);
        this.commands = new ProcessCommands(context, this);
        this.late = new LateSends(context, this);
        this.elsewhere = new Elsewhere(context, this);
        this.deliveries = new ProcessDeliveries(context);
        this.hands = new HandOver(context, this);
        this.arrivals = new Arrivals(this);
        this.stranded = new Stranded(context, this);
        this.recovery = new ProcessRecovery(context, this);
    }

    ProcessTable table() {
        return table;
    }

    DeferredSends deferred() {
        return deferred;
    }

    SendsUnderWay sends() {
        return sends;
    }

    LateSends late() {
        return late;
    }

    Elsewhere elsewhere() {
        return elsewhere;
    }

    ProcessDeliveries deliveries() {
        return deliveries;
    }

    HandOver hands() {
        return hands;
    }

    Arrivals arrivals() {
        return arrivals;
    }

    ProcessCalls calls() {
        return calls;
    }

    ProcessCommands commands() {
        return commands;
    }

    ProcessRecovery recovery() {
        return recovery;
    }

    JournalBytes journals() {
        return journals;
    }

    /** @param concurrency and {@code memoryBytes}: 0: as the version says; {@code dedicated} null the same; @param then once that is durable */
    ProcessHome make(ApplicationVersion version, int concurrency, long memoryBytes, DedicatedSpec dedicated, String id,
                     Consumer<ProcessHome> then) {
        lastMadeMs = Math.max(lastMadeMs + 1, context.epochMs());
        ProcessSpec spec = version.processSpec().with(concurrency, memoryBytes, dedicated);
        ProcessImage.About about = new ProcessImage.About(lastMadeMs, version.version(), concurrency, memoryBytes, dedicated,
                ProcessImage.Counts.NONE);
        ProcessHome made = new ProcessHome(context, version, spec, new CloudProcess(id, spec),
                new ProcessJournal(context, version.application(), id, table.places().of(version.application(), id), lastMadeMs, 0, List.of()), about, false);
        made.journal().write(made.process().changed(), new Change.Made(version.version(), concurrency, memoryBytes, dedicated),
                () -> then.accept(made));
        table.put(made);
        return made;
    }

    void changed(String application) {
        calls.list().onChanged(application);
    }

    /** Values that no process has any more. */
    void free(String application, List<Payload> values) {
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).reference() != null) {
                context.emit(new Action.Free(application, values));
                return;
            }
        }
    }

    /** Idle ones leave. */
    void onMemoryPressure(Map<String, Long> invoked) {
        leave(table.all().stream().filter(home -> home.process().status() == LifeCycle.IDLE), invoked);
    }

    /** Of one application, those leave that have large values and in which nothing runs, idle or not. @return how many are on their way */
    int onRoomShort(String application, Map<String, Long> invoked) {
        long before = table.here(application).stream().filter(home -> home.process().status() == LifeCycle.SWAPPING_OUT).count();
        return (int) before + leave(table.here(application).stream().filter(home -> home.process().residentBytes() > Limits.INLINE_BYTES), invoked);
    }

    /** Those that are least active on the data plane first (PraaS 6.6), and of them those that have been at rest for longest. */
    private static int leave(Stream<ProcessHome> of, Map<String, Long> invoked) {
        List<ProcessHome> leaving = of.filter(home -> home.occupants().restingSinceNs() != Long.MAX_VALUE)
                .sorted(Comparator.<ProcessHome>comparingLong(home -> invoked.getOrDefault(home.application() + "/" + home.id(), 0L))
                        .thenComparingLong(home -> home.occupants().restingSinceNs()))
                .limit(UNDER_PRESSURE).toList();
        leaving.forEach(home -> home.imaging().swapOut(failure -> { }));
        return leaving.size();
    }

    /** The application is deleted: what a later one of its name has stays. */
    void delete(Input.Delete delete) {
        table.unreadable().deleted(delete.application());
        for (ProcessHome home : List.copyOf(table.here(delete.application()))) {
            if (home.version().version() <= delete.upTo()) {
                home.exit().deleted(delete.cause());
                table.remove(home);
            }
        }
    }

    /** An earlier owner made it then: ours are later. */
    void madeBefore(long createdMs) {
        lastMadeMs = Math.max(lastMadeMs, createdMs);
    }

    /** Its image is deleted. Until what it has sent at the ends of its functions is given, its journal alone has that. */
    void vanished(String application, String id, ProcessJournal journal, long number) {
        late.whenNone(application, id, () -> {
            if (context.mayAct(journal.place().slot(), journal.epoch())) {
                journal.end(number);
                table.hasVanished(application, id);
            }
        });
    }

    // --- the functions that run in them

    /** The execution is admitted: it runs when its process has room for it. */
    void enter(RunningExecution execution, Application application) {
        String id = execution.request().processId();
        table.findToEnter(application.key().application(), id, application.version().version(), (home, failure) -> {
            if (execution.isEnded()) {
                return;
            }
            Failure refusal = failure != null ? failure : elsewhere(execution, home);
            if (refusal != null && execution.isRecovered()) {
                stranded.on(execution, application, refusal);
                return;
            }
            Input.Changed changed = execution.changed();
            boolean hasLostItsEnd = changed != null && !counts(execution, changed, changed.ended());
            if (refusal == null && changed != null && !counts(execution, changed, changed.made())) {
                refusal = Failure.mayHaveRun(Errors.UNAVAILABLE, "the messages that made it are unread again");
            }
            if (refusal != null && ProcessPlace.slotOf(refusal) >= 0 && execution.backups().isDurable()) {
                // A process leaves only behind what was accepted in it, unless it is killed; the next one of its id begins at home.
                execution.ending().cancelled("process " + id + " was killed before it ran");
            } else if (refusal == null && changed != null && isOfADeadOne(execution, changed, home)) {
                execution.ending().cancelled("process " + id + " was killed, whose messages had made it");
            } else if (refusal != null) {
                execution.ending().refused(refusal);
            } else if (hasLostItsEnd && execution.request().input().isNotKept()) {
                execution.ending().isNothing();
            } else {
                if (hasLostItsEnd) {
                    execution.forgetItsEnd();
                }
                (home != null ? home : make(application.version(), 0, 0, null, id, made -> { })).enter(execution, application.version());
            }
            arrivals.arrived(execution);
        });
    }

    /** Messages made it, of a process that was killed; what is there now, if anything, is another one of its id. */
    private static boolean isOfADeadOne(RunningExecution execution, Input.Changed changed, ProcessHome home) {
        return changed.made() > 0 && (home == null || home.createdMs() != changed.createdMs()) && !execution.endsInItsReplay();
    }

    private boolean counts(RunningExecution execution, Input.Changed changed, long number) {
        return table.counts(execution.slot(), execution.request().application(), execution.request().processId(), changed.createdMs(), number);
    }

    /** Where to ask, when the process does not live in the slot in which the execution is; null: it does. */
    Failure elsewhere(RunningExecution execution, ProcessHome home) {
        String id = execution.request().processId();
        int lives = home != null ? home.slot() : table.slotOf(execution.request().application(), id);
        return lives == execution.slot() ? null : Refusals.movedProcess(id, lives);
    }

    /** It has ended, whether it ran or not. */
    void left(RunningExecution execution) {
        elsewhere.left(execution.id());
        arrivals.arrived(execution);
        ProcessHome home = table.here(execution.request().application(), execution.request().processId());
        if (home != null) {
            home.left(execution);
            home.migration().onEnded();
        }
    }

    /** Of the process that it runs in; null: that has none of its own. */
    OwnSandbox ownSandbox(RunningExecution execution) {
        ProcessHome home = table.here(execution.request().application(), execution.request().processId());
        return home == null ? null : home.ownSandbox();
    }

    /** What the function that is handed over is told of its process's state. */
    List<StateWrite> told(Event event) {
        ProcessHome home = event.owner.process() == null ? null : home(event);
        return home == null ? List.of() : home.ahead().tell(event.grainName, attempt(event));
    }

    private ProcessHome home(Event event) {
        return table.here(event.grain.application().key().application(), id(event));
    }

    /** Of the process that it runs in. */
    static String id(Event event) {
        int slash = event.owner.process().indexOf('/');
        return slash < 0 ? event.owner.process() : event.owner.process().substring(0, slash);
    }

    static Attempt attempt(Event event) {
        return new Attempt(event.id, event.attempt);
    }

    /** Why what the attempt wrote will never be taken; null: it may be. */
    Failure refusal(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        if (home == null) {
            return null;
        }
        Refusal refusal = home.process().refusal(attempt(event), withEnd, home.mostStateBytes());
        return refusal == null ? null : Failure.limit(Errors.TOO_LARGE, "process " + home.id() + " has a limit of " + refusal.allowed() + " bytes of "
                + switch (refusal.limit()) {
                    case "process memory" -> "memory, and a value of its state has to fit into that with its key: " + event.id + " wrote one of ";
                    case "process record" -> "the record of what one function writes, and " + event.id + " would make it ";
                    default -> "state, and " + event.id + " would make it ";
                } + refusal.actual(), Failure.Source.GRAIN,
                refusal.allowed(), refusal.actual());
    }

    /** What waited for room in the heap goes on. */
    void on(Input.HeapFull full) {
        context.heapIsFull = full.isFull();
        if (!full.isFull()) {
            table.all().forEach(ProcessHome::heapHasRoom);
        }
    }

    /** Why it cannot be just now; null: it can. */
    Failure lacksRoom(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        if (home != null && context.heapIsFull && withEnd.stream().anyMatch(write -> write.value() != null && write.value().bytes() != null)) {
            return Failure.platform(Errors.UNAVAILABLE, "the memory of this host agent is full; what is idle leaves it", true);
        }
        return home == null ? null : home.overflow().refusal(attempt(event), withEnd);
    }

    /** The attempt has ended, and its change waits. @param then once there is room for it; @param failed told that there is none: it is dropped */
    void whenRoom(Event event, Failure lacking, Runnable then, Consumer<Failure> failed) {
        home(event).overflow().line().add(event.change, lacking, then, failed);
    }

    /** The attempt ended well. @return what it did, which takes effect once it is durable; null: nothing */
    ProcessRecords.Ending finished(Event event, List<StateWrite> withEnd) {
        ProcessHome home = home(event);
        Attempt attempt = attempt(event);
        if (home == null) {
            free(event.grain.application().key().application(), StateWrite.values(withEnd));
            return null;
        }
        return home.finished(home.process().finish(attempt, withEnd), deferred.take(attempt), attempt, context.nowNs - event.handedNs);
    }

    /** It runs no more: if it has not ended well, nothing of it counts. */
    void attemptEnded(Event event) {
        ProcessHome home = home(event);
        if (home != null) {
            home.abandon(attempt(event));
        }
        // One that waits for room may be this attempt's, too, and is taken where the others leave it.
        for (List<DeferredSends.Deferred> left = deferred.take(attempt(event)); !left.isEmpty(); left = deferred.take(attempt(event))) {
            deferred.drop(left, event.grain.application().key().application());
        }
    }
}
