package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
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
 * process to another they go one after the other, and what that sends it from now on goes behind them.
 */
final class LateSends {
    private static final Logger LOG = LoggerFactory.getLogger(LateSends.class);
    /** One request between hosts waits for room for no longer; then it is made again. */
    private static final long ROOM_MS = 30_000;

    private record Way(String application, String source, String destination) {}

    /** @param message null: something else that waits its turn */
    private record Step(Outgoing message, Runnable then) {}

    private final CoreContext context;
    private final Processes processes;
    private static final class Line {
        final ArrayDeque<Step> steps = new ArrayDeque<>(1);
        /** The first one is being given. */
        boolean busy;
    }

    private final Map<Way, Line> ways = new LinkedHashMap<>();
    private final Map<String, List<Runnable>> waiting = new LinkedHashMap<>();

    LateSends(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    /** @param then once it is there for good, or there is nobody to have it */
    void send(String application, Outgoing message, Runnable then) {
        add(new Way(application, message.source(), message.destination()), new Step(message, then));
    }

    /** Does the step when nothing of this kind is before it. */
    void behind(String application, String source, String destination, Runnable step) {
        Way way = new Way(application, source, destination);
        if (ways.containsKey(way)) {
            add(way, new Step(null, step));
        } else {
            step.run();
        }
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
            give(way, line.steps.peek().message);
            return;
        }
        ways.remove(way);
        String of = of(way.application, way.source);
        if (waiting.containsKey(of) && !has(way.application, way.source)) {
            waiting.remove(of).forEach(Runnable::run);
        }
    }

    private void give(Way way, Outgoing message) {
        if (processes.elsewhere().has(way.destination)) {
            int slot = context.slots.of(way.source);
            long epoch = context.slots.epoch(slot);
            context.emit(new Action.SendElsewhere(way.application, 0, message, ROOM_MS, failure -> {
                if (failure != null && isToBeGivenAgain(failure) && context.mayAct(slot, epoch)) {
                    context.later(() -> give(way, message));
                } else {
                    given(way, message, failure);
                }
            }));
            return;
        }
        processes.table().find(way.application, way.destination, 0, (home, failure) -> {
            boolean isNobodys = home == null && failure == null && !processes.elsewhere().has(way.destination);
            if (isNobodys) {
                given(way, message, null); // it was killed since
            } else if (home != null && home.mailbox().deliver(message, message.sender(), false)) {
                received(way);
            } else {
                context.later(() -> give(way, message));
            }
        });
    }

    private static boolean isToBeGivenAgain(Failure failure) {
        return !failure.error().equals(Errors.NOT_FOUND) && !failure.error().equals(Errors.TOO_LARGE);
    }

    private void given(Way way, Outgoing message, Failure failure) {
        if (failure != null && !failure.error().equals(Errors.NOT_FOUND)) {
            LOG.atError().addKeyValue(LogFields.APPLICATION, way.application)
                    .log("a message of process {} to {} cannot be given: {}", way.source, way.destination, failure.cause());
        }
        processes.free(way.application, List.of(message.payload()));
        ended(way).then.run();
    }

    /** Here: its end is waited for until it is durable. */
    private void received(Way way) {
        Step step = ended(way);
        if (!processes.sends().delays(step.message.sender(), step.then)) {
            step.then.run();
        }
    }

    /** The next one has a turn of its own. */
    private Step ended(Way way) {
        Line line = ways.get(way);
        line.busy = false;
        context.later(FanOut.NEXT_TURN_NS, () -> next(way));
        return line.steps.poll();
    }

    private static String of(String application, String source) {
        return application + '/' + source;
    }

    /** Whether there are some of that process. */
    boolean has(String application, String source) {
        return ways.keySet().stream().anyMatch(way -> way.source.equals(source) && way.application.equals(application));
    }

    /** There are: the step is done once there are none. */
    void whenNone(String application, String source, Runnable step) {
        waiting.computeIfAbsent(of(application, source), added -> new ArrayList<>(1)).add(step);
    }
}
