package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;
import static dev.sand.hostagent.sim.Dice.US;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The global bus's journal and the store of records: slow, sometimes refusing, and all that outlives a crash. */
final class SimBus {
    private static final class Log {
        InvocationRequest accepted;
        boolean wasAccepted;
        final TreeMap<Long, Backup> transitions = new TreeMap<>();
        long epoch;
        long lastNs;

        Input.Recover recover() {
            List<Signal> signals = new ArrayList<>();
            Map<String, Integer> attempts = new LinkedHashMap<>();
            long next = 1;
            for (Backup backup = transitions.get(next); backup != null; backup = transitions.get(++next)) {
                if (backup instanceof Backup.Finished finished) {
                    signals.add(finished.signal());
                } else if (backup instanceof Backup.Resumed resumed) {
                    attempts.putAll(resumed.attempts());
                }
            }
            return new Input.Recover(accepted, signals, next, attempts, -1);
        }
    }

    private final Schedule schedule;
    private final Dice dice;
    private final Driver driver;
    private final Map<String, Log> logs = new LinkedHashMap<>();
    private final Map<String, InvocationRecord> records = new LinkedHashMap<>();
    private int incarnation;

    SimBus(Schedule schedule, Dice dice, Driver driver) {
        this.schedule = schedule;
        this.dice = dice;
        this.driver = driver;
    }

    void journal(Action.Journal journal, boolean acceptedDurably) {
        if (journal.backup() instanceof Backup.Ended && acceptedDurably && !hasEnded(journal.executionId())) {
            throw new Violation("the end of " + journal.executionId() + " goes to the journal before its record is stored");
        }
        Log log = logs.computeIfAbsent(journal.executionId(), id -> new Log());
        long delayNs = dice.fault(4) ? dice.between(20 * MS, 500 * MS) : dice.between(100 * US, 2 * MS);
        log.lastNs = Math.max(log.lastNs, schedule.nowNs() + delayNs);
        boolean fails = dice.fault(2);
        int issued = incarnation;
        schedule.at(log.lastNs, () -> {
            if (issued != incarnation) {
                return;
            }
            if (!fails) {
                append(log, journal);
            }
            if (journal.awaited() || journal.await() == Action.Await.IF_WRITTEN && !fails) {
                Input answer = new Input.Journaled(journal.executionId(), journal.sequence(),
                        fails ? Failure.platform(Errors.UNAVAILABLE, "the bus is full", true) : null);
                driver.deliverPerhapsTwice(schedule.nowNs() + dice.hop(), answer);
            }
        });
    }

    private static void append(Log log, Action.Journal journal) {
        if (log.accepted == null) {
            log.transitions.clear(); // nothing is open: what follows an end without a new beginning counts no more
        }
        switch (journal.backup()) {
            case Backup.Accepted accepted -> {
                log.accepted = accepted.request();
                log.wasAccepted = true;
            }
            case Backup.Finished _, Backup.Resumed _ -> {
                if (journal.epoch() > log.epoch) {
                    log.transitions.tailMap(journal.sequence(), true).clear();
                    log.epoch = journal.epoch();
                }
                log.transitions.put(journal.sequence(), journal.backup());
            }
            case Backup.Ended _ -> log.accepted = null;
            case Backup.Changed _ -> throw new IllegalStateException("there are no processes here");
        }
    }

    void record(Action.Record record) {
        long delayNs = dice.fault(4) ? dice.between(20 * MS, 300 * MS) : dice.between(100 * US, 2 * MS);
        boolean fails = dice.fault(2);
        int issued = incarnation;
        InvocationRecord value = record.record();
        schedule.at(storeNs = Math.max(storeNs, schedule.nowNs() + delayNs), () -> {
            if (issued != incarnation) {
                return;
            }
            if (!fails) {
                store(value);
            }
            if (record.awaited()) {
                driver.deliver(dice.hop(), new Input.Recorded(value.executionId(),
                        fails ? Failure.platform(Errors.UNAVAILABLE, "the disk is full", true) : null));
            }
        });
    }

    /** What outlives no crash may have no record of its end. */
    boolean holdsStop(String executionId) {
        InvocationRecord record = records.get(executionId);
        return record == null || record.status() == Status.RUNNING || record.status() == Status.CANCELLED;
    }

    private long storeNs;

    private void store(InvocationRecord value) {
        InvocationRecord before = records.put(value.executionId(), value);
        boolean hadEnded = before != null && before.status() != Status.RUNNING;
        if (hadEnded && (before.status() != value.status() || !sameOutput(before, value))) {
            throw new Violation("execution " + value.executionId() + " ended as " + before.status() + " and then as " + value.status());
        }
    }

    private static boolean sameOutput(InvocationRecord a, InvocationRecord b) {
        return a.output() == null ? b.output() == null
                : b.output() != null && Script.text(a.output()).equals(Script.text(b.output()));
    }

    boolean isAccepted(String executionId) {
        Log log = logs.get(executionId);
        return log != null && log.wasAccepted;
    }

    boolean hasEnded(String executionId) {
        InvocationRecord record = records.get(executionId);
        return record != null && record.status() != Status.RUNNING;
    }

    /** What was given and is not durable yet is lost. */
    void crash() {
        incarnation++;
    }

    /** As the driver does at start: what has a record of its end lacks only the mark in the journal. */
    List<Input.Recover> recover() {
        List<Input.Recover> open = new ArrayList<>();
        logs.forEach((id, log) -> {
            if (log.accepted != null) {
                if (hasEnded(id)) {
                    log.accepted = null;
                } else {
                    open.add(log.recover());
                }
            }
        });
        return open;
    }
}
