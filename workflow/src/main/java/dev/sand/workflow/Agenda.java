package dev.sand.workflow;

import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.objects.ObjectCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an execution waits for (open steps), what can go on (a queue), and what it wants done (commands). */
final class Agenda {
    /** What a step that is open waits for. */
    sealed interface Open {
        /** A task's signal. */
        record Task(Visit visit) implements Open {}

        /** The signal of a grain whose result does not count: its state waits, or has waited, for a token. */
        record TokenGrain(TokenWait token) implements Open {}

        /** A callback. */
        record Token(TokenWait token) implements Open {}

        /** The end of a token's time. @param error what the state then fails with */
        record TokenTimer(TokenWait token, String error) implements Open {}

        /** The end of a Wait. */
        record Waiting(Visit visit) implements Open {}

        /** The time of the next attempt. */
        record Retry(Visit visit) implements Open {}

        /** What came of a call about objects, of a Map that reads its items or writes its results. */
        record Objects(Join join, boolean isRead) implements Open {}

        /** The next part of the queue. */
        record Continue() implements Open {}

        /** The end of the execution's time. */
        record Deadline() implements Open {}
    }

    /** What can go on. */
    sealed interface Ready {
        record Enter(Scope scope, String state, Document input) implements Ready {}

        /** Of an execution that is redriven: into the state that the scope was in. */
        record GoOn(Scope scope) implements Ready {}

        record StartItem(Join join) implements Ready {}

        /** More items have failed than may, of a Map whose results are written: those that are known are to be. */
        record Exceeded(Join join) implements Ready {}
    }

    final ArrayDeque<Ready> ready = new ArrayDeque<>();
    private final Map<String, Open> open = new LinkedHashMap<>();
    private List<Command> commands = List.of();

    void begin() {
        commands = new ArrayList<>(2);
    }

    List<Command> commands() {
        return commands;
    }

    Open open(String step) {
        return open.get(step);
    }

    void add(Command command) {
        commands.add(command);
    }

    void add(Ready next) {
        ready.add(next);
    }

    /** The scope's next state. */
    void enter(Scope scope, String state, Document input) {
        scope.following = new Ready.Enter(scope, state, input);
        ready.add(scope.following);
    }

    /** Before all else that is ready. */
    void addFirst(Ready next) {
        ready.addFirst(next);
    }

    void open(Visit visit, Open what, Command command, String step) {
        visit.openStep = step;
        open.put(step, what);
        commands.add(command);
    }

    void startTimer(String step, Open what, long delayMs) {
        open.put(step, what);
        commands.add(new Command.StartTimer(step, delayMs));
    }

    /** The step has ended. */
    void close(Visit visit) {
        open.remove(visit.openStep);
        visit.openStep = null;
    }

    void close(String step) {
        open.remove(step);
    }

    // --- tasks that wait for a token

    /** @param timeoutMs 0: none */
    void open(TokenWait wait, Command grain, long timeoutMs) {
        wait.visit.token = wait;
        open.put(wait.grainStep, new Open.TokenGrain(wait));
        commands.add(grain);
        open.put(wait.tokenStep(), new Open.Token(wait));
        commands.add(new Command.AwaitCallback(wait.tokenStep()));
        if (timeoutMs > 0) {
            startTimer(wait.newTimeoutStep(), new Open.TokenTimer(wait, StatesError.TIMEOUT), timeoutMs);
        }
        startHeartbeat(wait);
    }

    /** In place of the heartbeat time that runs. */
    void startHeartbeat(TokenWait wait) {
        abandon(wait.heartbeatStep);
        if (wait.heartbeatMs > 0) {
            startTimer(wait.newHeartbeatStep(), new Open.TokenTimer(wait, StatesError.HEARTBEAT_TIMEOUT), wait.heartbeatMs);
        }
    }

    /**
     * The state waits no more.
     *
     * @param ended the step whose signal ended it, or null
     * @param isAnswered the grain may finish what it is at; else it is abandoned like the rest
     */
    void close(TokenWait wait, String ended, boolean isAnswered) {
        open.remove(ended);
        abandon(wait.tokenStep());
        abandon(wait.timeoutStep);
        abandon(wait.heartbeatStep);
        if (!isAnswered) {
            abandon(wait.grainStep);
        }
        wait.visit.token = null;
    }

    /** When it is open. @param step may be null */
    private void abandon(String step) {
        if (step != null && open.remove(step) != null) {
            commands.add(new Command.Abandon(step));
        }
    }

    /** The join is moot: whatever still runs below it is abandoned. Where its state fails, a redrive goes on with it. */
    void abandon(Join join) {
        join.visit.join = null;
        join.visit.left = join.mayGoOn() ? join : null;
        abandonBelow(join);
        abandon(join.writeStep);
        if (join.files != null) {
            join.files.giveBack();
        }
    }

    /** Of an execution that has ended: nothing of the join is open, and what it holds goes. */
    void forget(Join join) {
        int before = commands.size();
        abandon(join);
        commands.subList(before, commands.size()).clear();
    }

    /** What the join still waits for runs no more. */
    void abandonBelow(Join join) {
        for (Scope scope : join.running()) {
            if (!scope.isClosed) {
                abandon(scope);
                if (join.run != null) {
                    scope.event("ExecutionAborted");
                }
            }
        }
        abandon(join.readStep);
    }

    private void abandon(Scope scope) {
        scope.suspend();
        abandonWork(scope);
    }

    /** What the scope waits for is moot. */
    void abandonWork(Scope scope) {
        Visit visit = scope.current;
        if (visit == null) {
            return;
        }
        if (visit.openStep != null) {
            commands.add(new Command.Abandon(visit.openStep));
            close(visit);
        }
        if (visit.token != null) {
            close(visit.token, null, false);
        }
        if (visit.join != null) {
            abandon(visit.join);
        }
    }

    void abandonAll() {
        ready.clear();
        for (String step : open.keySet()) {
            commands.add(new Command.Abandon(step));
        }
        open.clear();
    }

    /** Queues the start of the Map's next item when one may start and none is queued; reads on when items run out. */
    void startMore(Join join) {
        if (join.isStarting) {
            return;
        }
        if (join.mayStartItem()) {
            join.isStarting = true;
            if (join.run == null) {
                // Of an inline Map all that may start have started before a state of any is entered, as on AWS.
                ready.addFirst(new Ready.StartItem(join));
            } else {
                ready.add(new Ready.StartItem(join));
            }
        } else if (join.items instanceof ReadItems items && items.wantsMore(join.nextItem, join.isShort)) {
            join.readStep = call(join, join.newStep(">items"), items.nextRead());
        }
    }

    /** Writes results, a piece after the other. @return false: nothing is to be written, or being written */
    boolean writeMore(Join join) {
        if (open.get(join.writeStep) == null) {
            ObjectCall.Write next = join.files.poll();
            join.writeStep = next == null ? null : call(join, join.newStep(">results"), next);
        }
        return join.writeStep != null;
    }

    private String call(Join join, String step, ObjectCall call) {
        open.put(step, new Open.Objects(join, call instanceof ObjectCall.Read));
        commands.add(new Command.CallObjects(step, call));
        return step;
    }
}
