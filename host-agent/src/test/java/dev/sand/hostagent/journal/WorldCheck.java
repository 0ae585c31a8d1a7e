package dev.sand.hostagent.journal;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.journal.WorldHistory.Kind;
import dev.sand.hostagent.journal.WorldHistory.Sent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What is wrong at the end of a {@link ProcessWorld}: a message lost, twice there or out of order, a write lost or half there, something
 * done twice, or told as done and not done; an invocation that nobody answered, or that timed out, for no time was short.
 */
final class WorldCheck {
    private final ProcessWorld world;
    private final WorldHistory history;

    WorldCheck(ProcessWorld world) {
        this.world = world;
        this.history = world.history;
    }

    /** @return null: nothing */
    String violation() {
        return Stream.<Supplier<String>>of(this::unanswered, () -> world.reads.stale(history), this::records, this::halves, this::doubles, this::writes,
                this::messages, this::runs, this::resurrected, this::disorder).map(Supplier::get).filter(wrong -> wrong != null)
                .findFirst().orElse(null);
    }

    private String unanswered() {
        if (history.keys.size() < ProcessWorld.PROCESSES) {
            return "not all processes answer at the end: " + history.keys.keySet();
        }
        for (String name : history.asked) {
            String told = history.told.get(name);
            if (told == null || told.startsWith(Status.TIMED_OUT.name())) {
                return "who asked for " + name + " was told " + told;
            }
        }
        return history.wrongValues.isEmpty() ? null : "values that are not as they were written: " + history.wrongValues;
    }

    private String records() {
        for (InvocationRecord record : world.records.all()) {
            Failure failure = record.failure();
            if (failure != null && failure.cause().contains("none of it can leave")) { // no memory for what it wrote
                history.failed.add(history.names.get(record.executionId()));
            }
            boolean moved = failure != null && failure.error().equals(Errors.MOVED);
            // Messages made it, which are unread again: they make another one.
            boolean unmade = failure != null && failure.cause().contains("unread again");
            // Its process was moved since, and nobody knows how it ended: that is said.
            unmade |= failure != null && failure.cause().contains("has lost its host, and its process");
            if (moved || record.status() == Status.TIMED_OUT || !RecordedResults.isKnown(failure) && !unmade) {
                return "execution " + record.executionId() + " ended as " + failure.error() + ": " + failure.cause();
            }
        }
        return null;
    }

    private String halves() {
        for (Map.Entry<String, Set<String>> process : history.keys.entrySet()) {
            for (String key : process.getValue()) {
                if (key.startsWith("a/") && !process.getValue().contains("b/" + key.substring(2))) {
                    return process.getKey() + " has half of what " + key.substring(2) + " wrote";
                }
            }
        }
        return null;
    }

    private String doubles() {
        Set<String> all = new HashSet<>();
        for (Map.Entry<String, Set<String>> process : history.keys.entrySet()) {
            for (String key : process.getValue()) {
                if (key.startsWith("r/") && !all.add(key.substring(2)) && !mayBeAnothers(process.getKey(), key.substring(2))) {
                    return "message " + key.substring(2) + " was received twice";
                }
                if (key.startsWith("x/") && !all.add(key.substring(0, key.lastIndexOf('/')))
                        && !mayBeAnothers(process.getKey(), key.substring(2, key.lastIndexOf('/')))) {
                    return key.substring(2, key.lastIndexOf('/')) + " was done twice, as two executions";
                }
            }
            for (String body : history.unread.get(process.getKey())) {
                if (!all.add(body) && !mayBeAnothers(process.getKey(), body)) {
                    return "message " + body + " is there twice";
                }
            }
        }
        return null;
    }

    /**
     * What a process had taken, and whose repetitions it would have known, goes with it: the next of its name takes them. So does what
     * they send in their turn, which are two then.
     */
    private boolean mayBeAnothers(String process, String body) {
        if (!body.contains("#")) {
            return history.mayBeKilled(process, history.beganNs.getOrDefault(body, 0L));
        }
        Sent message = history.sent.get(body);
        return message == null || history.mayBeKilled(message.destination(), message.atNs())
                || message.source() != null && mayBeAnothers(message.source(), sender(body));
    }

    private String writes() {
        for (Map.Entry<String, String> done : history.succeeded.entrySet()) {
            String process = done.getValue();
            boolean excused = history.mayBeKilled(process, history.beganNs.getOrDefault(done.getKey(), 0L));
            if (!excused && !history.keys.get(process).contains("a/" + done.getKey())) {
                return "what " + done.getKey() + " wrote is lost, and it was answered";
            }
        }
        return null;
    }

    /** Whether it is known to have ended well: all that it sent is to be somewhere. */
    private boolean isDone(String name) {
        return history.succeeded.containsKey(name) || history.keys.values().stream().anyMatch(keys -> keys.contains("a/" + name));
    }

    private String messages() {
        for (Sent message : history.sent.values()) {
            boolean isThere = history.keys.values().stream().anyMatch(keys -> keys.contains("r/" + message.body()))
                    || history.unread.get(message.destination()).contains(message.body());
            if (message.kind() == Kind.PLAIN && !isThere && isDone(sender(message.body()))
                    && !history.mayBeKilled(message.destination(), message.atNs())) {
                return "message " + message.body() + " is lost, and its sender ended well";
            }
        }
        return null;
    }

    /** What messages make, and what was accepted, runs. */
    private String runs() {
        for (Sent message : history.sent.values()) {
            boolean isPromised = message.source() == null || isDone(sender(message.body()));
            boolean hasRun = history.failed.contains(message.body())
                    || history.keys.get(message.destination()).contains("a/" + message.body());
            if (message.kind() != Kind.PLAIN && isPromised && !hasRun
                    && !history.mayBeKilled(message.destination(), message.atNs())) {
                return message.body() + " was never run, and was promised: " + message + ", told " + history.told.get(message.body());
            }
        }
        return null;
    }

    /** A process that was killed has nothing left. */
    private String resurrected() {
        for (Map.Entry<String, String> done : history.succeeded.entrySet()) {
            boolean isGone = history.isKilled(done.getValue(), history.succeededNs.get(done.getKey()));
            if (isGone && history.keys.get(done.getValue()).contains("a/" + done.getKey())) {
                return done.getValue() + " was killed, and has what " + done.getKey() + " wrote before";
            }
        }
        return null;
    }

    /** Each invocation sends its messages in the order of their numbers; those of one host are taken as its functions are told. */
    private String disorder() {
        for (List<String> unread : history.orders) {
            Map<String, String> last = new HashMap<>();
            for (int i = 0; i < unread.size(); i++) {
                String behind = unread.get(i);
                String sent = isSentAnew(behind) ? null : last.put(sender(behind), behind);
                if (sent != null && number(sent) > number(behind)) {
                    return "messages " + sent + " and " + behind + " are out of order";
                }
                String before = i == 0 ? behind : unread.get(i - 1);
                if (!isSentAnew(before) && !isSentAnew(behind) && world.isOne() && isSourceDisordered(before, behind)) {
                    return "messages " + before + " and " + behind + " are out of order";
                }
            }
        }
        return null;
    }

    /** To one that does not know it, or by another execution. */
    private boolean isSentAnew(String body) {
        return history.sent.containsKey(body) && mayBeAnothers(history.sent.get(body).destination(), body);
    }

    /** What functions send at their ends comes when those are durable. */
    private boolean isSourceDisordered(String before, String behind) {
        List<String> arrived = new ArrayList<>(history.arrived);
        Sent first = history.sent.get(before);
        Sent second = history.sent.get(behind);
        return !history.mayBeKilled(first.destination(), Math.min(first.atNs(), second.atNs())) && arrived.contains(before) && arrived.contains(behind) && !first.atomic() && !second.atomic()
                && first.source().equals(second.source()) && arrived.indexOf(before) > arrived.indexOf(behind);
    }

    private static int number(String body) {
        return Integer.parseInt(body.substring(body.lastIndexOf('#') + 1));
    }

    private static String sender(String body) {
        return body.substring(0, body.lastIndexOf('#'));
    }
}
