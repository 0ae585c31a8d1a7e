package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.Change.Outgoing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages that were sent, and are to be given to their receiver, here or elsewhere, until it has them for good or is no more: those of
 * functions with {@code atomic: true} after their end, and those that were on their way into the journal of a slot that moved. Of one
 * process to another they go one after the other, and what that sends it from now on goes behind them. A large value that an earlier
 * owner's journal names comes into this host's memory first: its name is the sender's, and ends with the sender's journal.
 */
final class LateSends {
    private static final Logger LOG = LoggerFactory.getLogger(LateSends.class);
    /** One request between hosts waits for room for no longer; then it is made again. */
    private static final long ROOM_MS = 30_000;
    /** Who makes a process, and is not told so before its owner changes, asks again: it is looked for until then. */
    private static final long MADE_AGAIN_NS = 10_000_000_000L;
    private static final long NOBODYS = Long.MIN_VALUE;

    private record Way(String application, String source, String destination) {}

    /**
     * @param message null: something else that waits its turn, {@code then}
     * @param read from the journal of its sender, whose name for its value it still has, if that is large
     * @param waits whose end does until it is there for good; @param slot of the sender, and its epoch: behind that its next owner gives it;
     * @param untilNs how long its receiver may be nowhere; @param sinceNs when it came
     */
    private record Step(Outgoing message, boolean read, String waits, int slot, long epoch, long untilNs, long sinceNs, Runnable then) {
        boolean isToBeBrought() {
            return read && message.payload().reference() != null;
        }

        Step with(Payload here) {
            return new Step(message.with(here), false, waits, slot, epoch, untilNs, sinceNs, then);
        }
    }

    private static final class Line {
        final ArrayDeque<Step> steps = new ArrayDeque<>(1);
        /** The first one is being given. */
        boolean busy;
    }

    private final CoreContext context;
    private final Processes processes;
    private final Map<Way, Line> ways = new LinkedHashMap<>();
    /** Of a process, messages that are in mailboxes here and not durable. */
    private final Map<String, Integer> settling = new LinkedHashMap<>();
    private final Map<String, List<Runnable>> waiting = new LinkedHashMap<>();

    LateSends(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    /** @param waits whose end does until it is there for good, or there is nobody to have it; @param made whether others know its receiver */
    void send(String application, Outgoing message, String waits, boolean made) {
        send(application, message, false, waits, made);
    }

    /** The same of one that an earlier owner's journal has. */
    void sendRead(String application, Outgoing message, String waits) {
        send(application, message, true, waits, false);
    }

    private void send(String application, Outgoing message, boolean read, String waits, boolean made) {
        int slot = processes.table().slotOf(application, message.source());
        // Whose sender's slot is lost already is not this host's to give: that runs again elsewhere, perhaps as another execution.
        long epoch = context.slots.state(slot) == SlotTable.State.ELSEWHERE ? NOBODYS : context.slots.epoch(slot);
        long untilNs = context.nowNs + (made ? 0 : MADE_AGAIN_NS);
        add(new Way(application, message.source(), message.destination()), new Step(message, read, waits, slot, epoch, untilNs, context.nowNs,
                null));
    }

    /** Does the step when nothing of this kind is before it. */
    void behind(String application, String source, String destination, Runnable step) {
        if (isBusy(application, source, destination)) {
            add(new Way(application, source, destination), new Step(null, false, null, 0, 0, 0, context.nowNs, step));
        } else {
            step.run();
        }
    }

    /** Whether what that process sends to the other goes behind something. */
    boolean isBusy(String application, String source, String destination) {
        return !ways.isEmpty() && ways.containsKey(new Way(application, source, destination));
    }

    private void add(Way way, Step step) {
        ways.computeIfAbsent(way, added -> new Line()).steps.add(step);
        next(way);
    }

    private void next(Way way) {
        Line line = ways.get(way);
        if (line == null || line.busy) {
            return;
        }
        while (!line.steps.isEmpty() && line.steps.peek().message == null) {
            line.steps.poll().then.run();
        }
        if (!line.steps.isEmpty()) {
            line.busy = true;
            give(way, line.steps.peek());
            return;
        }
        ways.remove(way);
        tellWhenNone(way.application, way.source);
    }

    private void give(Way way, Step step) {
        Outgoing message = step.message;
        if (!context.mayAct(step.slot, step.epoch)) {
            given(way, step, null); // its next owner's
        } else if (processes.table().isKilled(way.application, way.destination)) {
            given(way, step, null); // to nobody
        } else if (step.isToBeBrought() && context.has(Rule.NAMED_VALUES_BROUGHT)) {
            context.emit(new Action.BringValue(way.application, message.payload(), (here, failure) -> brought(way, step, here, failure)));
        } else if (processes.elsewhere().has(way.application, way.destination)) {
            context.emit(new Action.SendElsewhere(way.application, 0, message, ROOM_MS, null, failure -> {
                if (failure != null && isToBeGivenAgain(step, failure)) {
                    context.later(() -> give(way, step));
                } else {
                    given(way, step, failure);
                }
            }));
        } else if (processes.table().isGoing(way.application, way.destination)) {
            context.later(() -> give(way, step)); // it may wait for messages of its own to be given
        } else {
            processes.table().find(way.application, way.destination, 0, (home, failure) -> giveHere(way, step, home, failure));
        }
    }

    private void brought(Way way, Step step, Payload here, Failure failure) {
        if (here != null) {
            Step brought = step.with(here);
            ArrayDeque<Step> steps = ways.get(way).steps;
            steps.poll();
            steps.addFirst(brought);
            give(way, brought);
        } else if (failure.retryable()) {
            context.later(() -> give(way, step));
        } else {
            given(way, step, failure);
        }
    }

    private void giveHere(Way way, Step step, ProcessHome home, Failure failure) {
        boolean isNobodys = home == null && failure == null && !processes.elsewhere().has(way.application, way.destination)
                && context.nowNs >= step.untilNs;
        if (isNobodys) {
            given(way, step, null); // it was killed since
        } else if (home != null && home.mailbox().isTooSmallFor(step.message.payload())) {
            given(way, step, Failure.platform(Errors.TOO_LARGE, "it is larger than the mailbox", false));
        } else if (home != null && !home.mailbox().holdsBack(step.message)
                && home.mailbox().deliver(step.message, step.message.sender(), MailboxLine.By.KEEPER)) {
            settles(way.application, step.message, step.waits);
            processes.sends().done(step.waits); // whose end waits for what is on its way into the journal now
            next(way, ways.get(way));
        } else {
            context.later(() -> give(way, step));
        }
    }

    private boolean isToBeGivenAgain(Step step, Failure failure) {
        return failure.error().equals(Errors.NOT_FOUND) ? context.nowNs < step.untilNs : !failure.error().equals(Errors.TOO_LARGE);
    }

    private void given(Way way, Step step, Failure failure) {
        if (failure != null && !failure.error().equals(Errors.NOT_FOUND)) {
            LOG.atError().addKeyValue(LogFields.APPLICATION, way.application)
                    .log("a message of process {} to {} cannot be given: {}", way.source, way.destination, failure.cause());
        }
        if (!step.isToBeBrought()) {
            processes.free(way.application, List.of(step.message.payload()));
        }
        processes.sends().done(step.waits);
        next(way, ways.get(way));
    }

    /** The next one has a turn of its own. */
    private void next(Way way, Line line) {
        line.busy = false;
        line.steps.poll();
        context.later(FanOut.NEXT_TURN_NS, () -> next(way));
    }

    /** It is in a mailbox here: until it is durable there, the journal of its sender alone may have it. @param waits as it was delivered */
    void settles(String application, Outgoing message, String waits) {
        String of = of(application, message.source());
        Runnable settled = () -> {
            settling.merge(of, -1, Integer::sum);
            settling.remove(of, 0);
            tellWhenNone(application, message.source());
        };
        settling.merge(of, 1, Integer::sum);
        if (!processes.sends().delays(waits, settled)) {
            settled.run();
        }
    }

    private void tellWhenNone(String application, String source) {
        String of = of(application, source);
        if (waiting.containsKey(of) && !has(application, source)) {
            waiting.remove(of).forEach(Runnable::run);
        }
    }

    private static String of(String application, String source) {
        return application + '/' + source;
    }

    /** Whether there are some of that process. */
    boolean has(String application, String source) {
        return settling.containsKey(of(application, source))
                || ways.keySet().stream().anyMatch(way -> way.source.equals(source) && way.application.equals(application));
    }

    /** Whether one of that process is to be given since then, or for longer. */
    boolean hasSince(String application, String source, long sinceNs) {
        return ways.entrySet().stream().anyMatch(way -> way.getKey().source.equals(source) && way.getKey().application.equals(application)
                && !way.getValue().steps.isEmpty() && way.getValue().steps.peek().sinceNs <= sinceNs);
    }

    /** The step is done once there are none, at once when there are none now. */
    void whenNone(String application, String source, Runnable step) {
        if (!has(application, source)) {
            step.run();
            return;
        }
        waiting.computeIfAbsent(of(application, source), added -> new ArrayList<>(1)).add(step);
    }
}
