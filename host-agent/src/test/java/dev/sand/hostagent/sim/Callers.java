package dev.sand.hostagent.sim;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who asks, and what they were told. Every caller is answered once, and what it is told is true. */
final class Callers {
    /** One call: one listener. */
    static final class Call implements InvocationListener {
        final InvocationRequest request;
        final int number;
        boolean accepted;
        InvocationResult result;
        final int incarnation;
        boolean lost;

        Call(InvocationRequest request, int number, int incarnation) {
            this.request = request;
            this.number = number;
            this.incarnation = incarnation;
        }

        @Override
        public void onAccepted() {
            if (accepted || result != null) {
                throw new Violation("call " + this + " was accepted " + (accepted ? "twice" : "after its answer"));
            }
            accepted = true;
        }

        @Override
        public void onEnd(InvocationResult end) {
            if (result != null) {
                throw new Violation("call " + this + " was answered twice: " + result.status() + ", then " + end.status());
            }
            result = end;
        }

        @Override
        public String toString() {
            return number + " for " + request.executionId();
        }
    }

    /** Follows an execution. */
    static final class Watcher implements ProgressListener {
        boolean ended;
        boolean lost;

        @Override
        public void onHop(Hop hop) {
            if (ended) {
                throw new Violation("a watcher saw hop " + hop.eventId() + " after the end");
            }
        }

        @Override
        public void onEnd() {
            if (ended) {
                throw new Violation("a watcher was told the end twice");
            }
            ended = true;
        }
    }

    /** Asks for an execution's end. */
    final class Stop implements Input.Listener<Boolean> {
        private final String executionId;
        private boolean told;
        private boolean byThis;
        private boolean wasAccepted;
        private int callsBefore;

        Stop(String executionId) {
            this.executionId = executionId;
        }

        @Override
        public void onDone(Boolean byThis) {
            tell();
            this.byThis = byThis;
            wasAccepted = durable.contains(executionId);
            callsBefore = calls.size();
        }

        @Override
        public void onFailed(Failure failure) {
            tell();
        }

        /** One that ended before it was accepted may be asked for anew. */
        private void check(SimBus bus) {
            boolean anew = !wasAccepted && calls.subList(callsBefore, calls.size()).stream()
                    .anyMatch(call -> call.request.executionId().equals(executionId));
            if (byThis && !anew && !bus.holdsStop(executionId)) {
                throw new Violation("execution " + executionId + " was stopped, and ran on to an end of its own");
            }
        }

        private void tell() {
            if (told) {
                throw new Violation("who stopped " + executionId + " was told twice");
            }
            told = true;
        }
    }

    final List<Call> calls = new ArrayList<>();
    final List<Stop> stops = new ArrayList<>();
    final List<Watcher> watchers = new ArrayList<>();
    /** Executions whose callers were told that they are in the global bus. */
    final Set<String> durable = new HashSet<>();
    /** Executions that come from the journal, which keeps a failure's error and cause alone. */
    final Set<String> replayed = new HashSet<>();
    private final List<Call> acceptedNow = new ArrayList<>();
    private final Map<String, Integer> attempts = new HashMap<>();
    /** By event, since the host agent began. */
    private final Map<String, Integer> runsHere = new HashMap<>();
    private final Set<String> handedOver = new HashSet<>();

    void onAccepted(Call call) {
        call.onAccepted();
        acceptedNow.add(call);
    }

    /** After each step: who was told that the request is in the global bus, and not its result in the same breath. */
    void checkAccepted(SimBus bus) {
        for (Call call : acceptedNow) {
            if (call.result == null && !bus.isAccepted(call.request.executionId())) {
                throw new Violation("call " + call + " was accepted before its request was in the global bus");
            }
            durable.add(call.request.executionId());
        }
        acceptedNow.clear();
    }

    void onEnd(Call call, InvocationResult result) {
        call.onEnd(result);
        if (result.status() == Status.SUCCEEDED) {
            tokens(Script.text(result.output()), "the answer to " + call);
        } else if (result.failure() == null || result.failure().cause().isEmpty()) {
            throw new Violation("call " + call + " failed without a cause");
        } else if (result.failure().error().equals(Errors.OVERLOADED)) {
            long limit = ((Number) result.failure().details().getOrDefault("limit", -1)).longValue();
            long actual = ((Number) result.failure().details().getOrDefault("actual", -1)).longValue();
            if (limit >= 0 ? actual <= limit : !replayed.contains(call.request.executionId())) {
                throw new Violation("call " + call + " was refused with limit " + limit + " and actual " + actual);
            }
        }
        Set<String> finished = new HashSet<>();
        for (Hop hop : result.hops()) {
            if (hop.error() == null && !finished.add(hop.eventId())) {
                throw new Violation("event " + hop.eventId() + " finished twice");
            }
        }
    }

    /** An event goes out: each attempt once, so often at most, and its input comes from attempts that finished. */
    void onHandOver(String eventId, int attempt, String input, int mostRuns) {
        if (!handedOver.add(eventId + "@" + attempt)) {
            throw new Violation("attempt " + attempt + " of " + eventId + " was handed over twice");
        }
        if (runsHere.merge(eventId, 1, Integer::sum) > mostRuns) {
            throw new Violation("event " + eventId + " is handed over for the " + runsHere.get(eventId) + "th time by one host agent");
        }
        attempts.put(eventId, attempt);
        tokens(input, "the input of " + eventId);
    }

    private void tokens(String text, String where) {
        for (String token : text.split(",")) {
            int at = token.indexOf('@');
            if (at < 0) {
                continue;
            }
            String eventId = token.startsWith("[") ? token.substring(1, at) : token.substring(0, at);
            int attempt = token.charAt(at + 1) - '0';
            if (attempts.getOrDefault(eventId, 0) != attempt) {
                throw new Violation(where + " comes from attempt " + attempt + " of " + eventId + ", but the last one handed over is "
                        + attempts.get(eventId));
            }
        }
    }

    /** A new host agent hands over from attempt 1 again; those who waited at the old one hear nothing more. */
    void onCrash() {
        runsHere.clear();
        handedOver.clear();
        calls.forEach(call -> call.lost |= call.result == null);
        watchers.forEach(watcher -> watcher.lost |= !watcher.ended);
    }

    boolean allAnswered() {
        return calls.stream().allMatch(call -> call.lost || call.result != null);
    }

    void checkEnd(SimBus bus) {
        for (Call call : calls) {
            if (!call.lost && call.result == null) {
                throw new Violation("call " + call + " was never answered");
            }
        }
        for (Watcher watcher : watchers) {
            if (!watcher.lost && !watcher.ended) {
                throw new Violation("a watcher was never told the end");
            }
        }
        stops.forEach(stop -> stop.check(bus));
        for (String executionId : durable) {
            if (!bus.hasEnded(executionId)) {
                throw new Violation("execution " + executionId + " was accepted durably, and has no end");
            }
        }
    }
}
