package dev.sand.hostagent.journal;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalQueue.Given;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the records of each execution in order on their way to the bus: those behind one whose values are being copied, or that
 * the bus did not take, wait until it is there, for what lies behind a gap counts for nobody. What an execution's end makes
 * needless is left out; an execution that begins and ends while its records still wait here, unawaited, altogether: a crash
 * before would have lost them, after there is nothing to recover. The journal's thread alone.
 */
final class RecordOrder {
    private static final Logger LOG = LoggerFactory.getLogger(RecordOrder.class);
    private static final long RETRY_NS = 500_000_000L;
    private static final long LOOK_NS = 100_000_000L;
    /** How long a request with a large value that nobody waits for is not in the journal, nor its value copied for that. */
    private static final long POSTPONED_NS = 50_000_000L;

    /** An execution that waits, or a process, of which nothing is left out. */
    private static final class Held {
        final boolean ofProcess;
        final List<Given> behind = new ArrayList<>();
        /** What the bus did not take, in the order in which it was sent. */
        final List<Given> failed = new ArrayList<>();
        /** Of those, sent again, and not known to be there. */
        int sent;
        boolean copying;
        long failedNs;

        Held(boolean ofProcess) {
            this.ofProcess = ofProcess;
        }

        /** Whether an end of that execution is still to go to the bus. */
        boolean ends(String executionId) {
            return Stream.concat(failed.stream(), behind.stream())
                    .anyMatch(each -> each.backup() instanceof Backup.Ended && each.executionId().equals(executionId));
        }

        boolean isOver() {
            return !ofProcess && (end(failed) >= 0 || end(behind) >= 0);
        }

        /** @return the place of the first end, behind which the same execution may have been begun anew; or -1 */
        static int end(List<Given> records) {
            for (int i = 0; i < records.size(); i++) {
                if (records.get(i).backup() instanceof Backup.Ended) {
                    return i;
                }
            }
            return -1;
        }
    }

    private final JournalAppends appends;
    private final ValueCopying copying;
    private final Consumer<Runnable> onThread;
    private final BooleanSupplier closed;
    private final Map<String, Held> held = new HashMap<>();
    private final List<Given> postponed = new ArrayList<>();
    private final Map<String, Long> postponedSinceNs = new HashMap<>();
    private long nextLookNs = System.nanoTime();

    /** @param onThread runs what it is given on the journal's thread */
    RecordOrder(JournalAppends appends, ValueCopying copying, Consumer<Runnable> onThread, BooleanSupplier closed) {
        this.appends = appends;
        this.copying = copying;
        this.onThread = onThread;
        this.closed = closed;
    }

    /** Called every few milliseconds. */
    void take(List<Given> batch) {
        List<Given> all = batch;
        if (!postponed.isEmpty()) {
            all = new ArrayList<>(postponed);
            all.addAll(batch);
            postponed.clear();
        }
        Set<String> passed = passed(all);
        Set<String> later = later(all);
        Set<String> finished = finished(all);
        for (Given given : all) {
            if (passed.contains(given.executionId())) {
                appends.leaveOut(given);
            } else if (later.contains(given.executionId())) {
                postponed.add(given);
            } else if (given.backup() instanceof Backup.Accepted accepted && finished.contains(given.executionId())) {
                write(given.untold(new Backup.Accepted(accepted.request().withInput(accepted.request().input().notKept()), true)));
            } else {
                write(given);
            }
        }
        postponedSinceNs.keySet().retainAll(later);
    }

    /** Something is to be taken yet. */
    boolean postpones() {
        return !postponed.isEmpty();
    }

    /** Executions that have begun with a large value and nothing else: should they end in a moment, it is never copied. */
    private Set<String> later(List<Given> batch) {
        Set<String> later = new HashSet<>();
        Set<String> other = new HashSet<>();
        long nowNs = System.nanoTime();
        for (Given given : batch) {
            if (given.backup() instanceof Backup.Accepted && !given.awaited() && given.entry().change() == null
                    && copying.isWanted(given.entry()) && !closed.getAsBoolean()
                    && nowNs - postponedSinceNs.computeIfAbsent(given.executionId(), id -> nowNs) < POSTPONED_NS) {
                later.add(given.executionId());
            } else {
                other.add(given.executionId());
            }
        }
        later.removeAll(other);
        return later;
    }

    /** Executions that began and ended within the batch and changed no process, of which nobody wants to hear that they are in the bus. */
    private static Set<String> passed(List<Given> batch) {
        Set<String> begun = new HashSet<>();
        Set<String> passed = new HashSet<>();
        Set<String> changing = new HashSet<>();
        for (Given given : batch) {
            if (given.entry().change() != null) {
                changing.add(given.executionId());
            }
            if (given.backup() instanceof Backup.Accepted && !given.awaited()) {
                begun.add(given.executionId());
            } else if (given.backup() instanceof Backup.Ended && !given.awaited() && begun.contains(given.executionId())) {
                passed.add(given.executionId());
            }
        }
        passed.removeAll(changing);
        return passed;
    }

    /**
     * Grains that began within the batch with a large input and ended well, with a change of their process: they need it no more, should
     * their end come to count. Should it not, they are nothing ({@link JournalAdapter.Unfinished#isNothing}): nobody hears that they had begun.
     */
    private static Set<String> finished(List<Given> batch) {
        Set<String> begun = new HashSet<>();
        Set<String> finished = new HashSet<>();
        for (Given given : batch) {
            if (given.backup() instanceof Backup.Accepted accepted && accepted.ofGrain() && !given.awaited() && given.entry().change() == null
                    && accepted.request().redrive() == null && ValueCopying.isHere(accepted.request().input())) {
                begun.add(given.executionId());
            } else if (given.backup() instanceof Backup.Finished done && given.entry().change() != null && done.processing().isEmpty()
                    && begun.contains(given.executionId())) {
                finished.add(given.executionId());
            }
        }
        return finished;
    }

    private void write(Given given) {
        Held before = held.get(given.order());
        if (before != null) {
            before.behind.add(given);
            if (given.isOfProcess() && copying.isWanted(given.entry())) { // none of those is left out
                copying.ahead(given);
            }
        } else if (copying.isWanted(given.entry())) {
            Held copied = new Held(given.isOfProcess());
            copied.copying = true;
            held.put(given.order(), copied);
            copy(given);
        } else {
            send(given);
        }
    }

    private void send(Given given) {
        Given whole;
        try {
            whole = copying.takenIn(given);
        } catch (StoreException e) {
            giveUp(given, e, false);
            return;
        }
        appends.send(whole);
    }

    /** Values that are here no more are those of an execution that has ended meanwhile. */
    private void giveUp(Given given, StoreException failure, boolean passes) {
        if (failure.kind() == StoreException.Kind.BAD_VALUE && !given.awaited() && given.entry().change() == null) {
            appends.leaveOut(given);
        } else {
            appends.drop(given, notStored(failure, passes));
        }
    }

    // --- values on their way to the global data layer

    private void copy(Given given) {
        copying.start(given, storing -> onThread.accept(() -> appends.send(storing)), (copied, failure) -> onThread.accept(() -> {
            if (copied != null) {
                appends.send(copied);
                onCopied(given.order());
            } else {
                onCopyFailed(given, failure);
            }
        }));
    }

    private void onCopyFailed(Given given, StoreException failure) {
        boolean passes = failure.kind() == StoreException.Kind.AWAY || failure.kind() == StoreException.Kind.FULL;
        boolean over = held.get(given.order()).isOver();
        boolean told = given.awaited() && (!given.isOfProcess() || given.isAcceptance());
        if (passes && !over && !told && !closed.getAsBoolean()) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, given.entry().application())
                    .addKeyValue(LogFields.EXECUTION_ID, given.executionId()).addKeyValue(LogFields.SLOT, given.entry().slot())
                    .addKeyValue(LogFields.EPOCH, given.entry().epoch())
                    .log("values of execution {} are not in the global data layer yet: {}", given.executionId(), failure.getMessage());
            copying.later(() -> onThread.accept(() -> copy(given)));
            return;
        }
        if (over) {
            appends.leaveOut(given);
        } else {
            giveUp(given, failure, passes);
        }
        onCopied(given.order());
    }

    private static Failure notStored(StoreException failure, boolean passes) {
        return Failure.platform(Errors.UNAVAILABLE, "a value for the journal cannot be stored: " + failure.getMessage(), passes);
    }

    private void onCopied(String order) {
        Held copied = held.get(order);
        copied.copying = false;
        letGo(order, copied);
    }

    // --- what the bus did not take

    void onFailed(Given given) {
        Held failed = held.computeIfAbsent(given.order(), id -> new Held(given.isOfProcess()));
        failed.sent -= given.again() ? 1 : 0;
        failed.failed.add(given.sent(false));
        failed.failedNs = System.nanoTime();
    }

    /** One that was sent again is there, or is given up. */
    void onSettled(Given given) {
        Held settled = held.get(given.order());
        settled.sent--;
        letGo(given.order(), settled);
    }

    /** Its end was on its way when its beginning failed: that is needed no more, but for what it changed of its process. */
    void onEndedFirst(Given end) {
        Held over = held.get(end.order());
        if (over == null || over.copying && !over.ofProcess || over.ends(end.executionId())) {
            return;
        }
        List<Given> needless = over.failed.stream()
                .filter(each -> each.executionId().equals(end.executionId()) && each.entry().change() == null).toList();
        if (!needless.isEmpty()) {
            needless.forEach(appends::leaveOut);
            over.failed.removeIf(each -> needless.stream().anyMatch(other -> other == each));
            letGo(end.order(), over);
        }
    }

    /** Now and then: sends again what was not taken. */
    void retry() {
        long now = System.nanoTime();
        if (held.isEmpty() || now - nextLookNs < 0) {
            return;
        }
        nextLookNs = now + LOOK_NS;
        for (Held each : new ArrayList<>(held.values())) {
            if (!each.copying && !each.failed.isEmpty() && now - each.failedNs >= RETRY_NS) {
                keepTheEndAlone(each);
                List<Given> failed = List.copyOf(each.failed);
                each.failed.clear();
                each.sent += failed.size();
                failed.forEach(given -> appends.send(given.sent(true)));
            }
        }
    }

    /** If there is one: of what failed, and of what waits behind it. */
    private void keepTheEndAlone(Held over) {
        if (over.ofProcess) {
            return;
        }
        List<Given> all = new ArrayList<>(over.failed);
        all.addAll(over.behind);
        int end = Held.end(all);
        if (end > 0) {
            all.subList(0, end).forEach(appends::leaveOut);
            over.failed.clear();
            over.failed.add(all.get(end));
            over.behind.clear();
            over.behind.addAll(all.subList(end + 1, all.size()));
        }
    }

    /** What was waited for is with the bus: those behind it follow. */
    private void letGo(String order, Held waited) {
        if (waited.copying || waited.sent > 0 || !waited.failed.isEmpty()) {
            return;
        }
        held.remove(order);
        int end = waited.ofProcess ? -1 : Held.end(waited.behind);
        for (int i = 0; i < waited.behind.size(); i++) {
            Given given = waited.behind.get(i);
            if (i < end && !given.isAcceptance() && copying.isWanted(given.entry())) {
                appends.leaveOut(given);
            } else {
                write(given);
            }
        }
    }

    /** Records that wait for a bus that is away, or behind one that does. */
    int waiting() {
        return held.values().stream().filter(each -> !each.copying && each.sent == 0)
                .mapToInt(each -> each.failed.size() + each.behind.size()).sum();
    }
}
