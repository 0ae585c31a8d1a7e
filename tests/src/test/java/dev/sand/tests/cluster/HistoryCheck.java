package dev.sand.tests.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.tests.cluster.History.Accepted;
import dev.sand.tests.cluster.History.AskedAgain;
import dev.sand.tests.cluster.History.Ended;
import dev.sand.tests.cluster.History.Recorded;
import dev.sand.tests.cluster.History.TurnedAway;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Holds what callers saw against what grains wrote down, and both against what must never happen: a request that is not answered,
 * is answered wrongly or in two ways, an execution that nobody asked for, ends without its steps or ends twice, a key that stands
 * for more than one execution.
 */
final class HistoryCheck {
    private final History history;
    private final JsonNode did;
    private final JsonNode didAtLast;
    private final List<String> wrong = new ArrayList<>();

    private HistoryCheck(History history, JsonNode did, JsonNode didAtLast) {
        this.history = history;
        this.did = did;
        this.didAtLast = didAtLast;
    }

    /**
     * @param did steps by execution, as the grains wrote them down: one entry each time
     * @param didAtLast the same, after every request was asked again
     * @param steps that an execution which ended well has gone through
     * @return what is wrong, a sentence each; none when all is well
     */
    static List<String> violations(History history, JsonNode did, JsonNode didAtLast, Set<String> steps) {
        HistoryCheck check = new HistoryCheck(history, did, didAtLast);
        check.everyPromiseIsKept();
        check.aRequestHasOneEnd();
        check.anExecutionIsOfOneRequest();
        check.whatEndedWellWentThrough(steps);
        check.everyEndIsAnExecutions();
        check.nothingRanThatNobodyAskedFor();
        check.whoWasTurnedAwayIsTheSameOrNothing();
        check.askedAgainNothingIsNew();
        check.anExecutionEndsOnce();
        return check.wrong;
    }

    private void everyPromiseIsKept() {
        Set<Integer> ended = history.all(Ended.class).stream().map(Ended::request).collect(Collectors.toSet());
        history.all(Accepted.class).stream().filter(accepted -> !ended.contains(accepted.request()))
                .forEach(accepted -> wrong.add("request " + accepted.request() + " was accepted and never answered"));
    }

    private void aRequestHasOneEnd() {
        Map<Integer, List<Ended>> ends = new TreeMap<>(history.all(Ended.class).stream().collect(Collectors.groupingBy(Ended::request)));
        ends.forEach((request, all) -> {
            if (all.stream().map(Ended::succeeded).distinct().count() > 1) {
                wrong.add("request " + request + " ended in two ways: " + all);
            }
            all.stream().filter(end -> !end.right()).forEach(end ->
                    wrong.add("request " + request + " was answered wrongly: " + end.how()));
        });
        executions().forEach((request, all) -> {
            if (all.size() > 1) {
                wrong.add("request " + request + " was run by several executions: " + all);
            }
        });
    }

    /** By request: those that the platform said it runs for it, or ran. */
    private Map<Integer, Set<String>> executions() {
        Map<Integer, Set<String>> found = new TreeMap<>();
        history.all(Accepted.class).forEach(one -> found.computeIfAbsent(one.request(), _ -> new TreeSet<>()).add(one.execution()));
        history.all(Ended.class).stream().filter(one -> one.execution() != null)
                .forEach(one -> found.computeIfAbsent(one.request(), _ -> new TreeSet<>()).add(one.execution()));
        return found;
    }

    private void anExecutionIsOfOneRequest() {
        Map<String, Integer> requestOf = new HashMap<>();
        executions().forEach((request, all) -> all.forEach(execution -> {
            Integer other = requestOf.put(execution, request);
            if (other != null) {
                wrong.add("execution " + execution + " answered requests " + other + " and " + request);
            }
        }));
    }

    private void whatEndedWellWentThrough(Set<String> steps) {
        history.all(Ended.class).stream().filter(Ended::succeeded).map(Ended::execution).distinct().forEach(execution -> {
            Set<String> missing = new TreeSet<>(steps);
            did.path(execution).forEach(step -> missing.remove(step.asText()));
            if (!missing.isEmpty()) {
                wrong.add("execution " + execution + " ended well without " + missing);
            }
        });
    }

    private void everyEndIsAnExecutions() {
        history.all(Ended.class).stream().filter(end -> end.execution() == null)
                .forEach(end -> wrong.add("request " + end.request() + " was given up without an execution's end: " + end.how()));
    }

    private void nothingRanThatNobodyAskedFor() {
        Set<String> known = Stream.concat(executions().values().stream().flatMap(Set::stream),
                history.all(TurnedAway.class).stream().map(TurnedAway::execution)).collect(Collectors.toSet());
        did.fieldNames().forEachRemaining(execution -> {
            if (!known.contains(execution)) {
                wrong.add("execution " + execution + " is of no request, and did " + did.get(execution));
            }
        });
    }

    /** A key is free again only when nothing was begun under it. */
    private void whoWasTurnedAwayIsTheSameOrNothing() {
        Map<Integer, Set<String>> executions = executions();
        for (TurnedAway away : history.all(TurnedAway.class)) {
            boolean same = away.execution() == null || executions.getOrDefault(away.request(), Set.of()).contains(away.execution());
            if (!same && away.mayHaveRun()) {
                wrong.add("request " + away.request() + " was sent again, and became another execution than " + away.execution()
                        + ", which may have run: " + away.how());
            } else if (!same && did.has(away.execution())) {
                wrong.add("request " + away.request() + " was turned away as " + away.execution() + ", which did "
                        + did.get(away.execution()) + " all the same: " + away.how());
            }
        }
    }

    private void askedAgainNothingIsNew() {
        Map<Integer, Ended> ends = history.all(Ended.class).stream().filter(Ended::succeeded)
                .collect(Collectors.toMap(Ended::request, end -> end, (first, _) -> first));
        Map<Integer, AskedAgain> again = history.all(AskedAgain.class).stream().collect(Collectors.toMap(AskedAgain::request, one -> one));
        ends.forEach((request, end) -> {
            AskedAgain answer = again.get(request);
            if (answer == null) {
                wrong.add("request " + request + " was not asked again");
            } else if (!answer.replayed()) {
                wrong.add("request " + request + " was asked again, and the answer does not say that it is the first one's: " + answer);
            } else if (!end.execution().equals(answer.execution()) || !end.how().equals(answer.how())) {
                wrong.add("request " + request + " was asked again, and was answered otherwise than " + end + ": " + answer);
            }
        });
        Set<String> all = new TreeSet<>();
        did.fieldNames().forEachRemaining(all::add);
        didAtLast.fieldNames().forEachRemaining(all::add);
        for (String execution : all) {
            if (!steps(did, execution).equals(steps(didAtLast, execution))) {
                wrong.add("execution " + execution + " did " + did.path(execution) + ", and after all was asked again "
                        + didAtLast.path(execution));
            }
        }
    }

    private static List<String> steps(JsonNode did, String execution) {
        return StreamSupport.stream(did.path(execution).spliterator(), false).map(JsonNode::asText).sorted().toList();
    }

    /** A record that has an end never gets another one, whichever host comes back; and no event of it counted twice. */
    private void anExecutionEndsOnce() {
        Map<String, List<Recorded>> records = history.all(Recorded.class).stream().collect(Collectors.groupingBy(Recorded::execution));
        records.forEach((execution, readings) -> {
            Set<String> ends = readings.stream().map(one -> one.status() + " at " + one.endedMs()).collect(Collectors.toSet());
            if (ends.size() > 1) {
                wrong.add("execution " + execution + " ended more than once: " + ends);
            }
            Set<String> twice = new TreeSet<>();
            readings.forEach(one -> one.finished().stream().filter(event -> Collections.frequency(one.finished(), event) > 1)
                    .forEach(twice::add));
            if (!twice.isEmpty()) {
                wrong.add("execution " + execution + " took an event's result in twice: " + twice);
            }
        });
        Set<String> judged = new HashSet<>();
        for (Ended end : history.all(Ended.class)) {
            if (end.execution() == null || !judged.add(end.execution())) {
                continue;
            }
            List<Recorded> readings = records.getOrDefault(end.execution(), List.of());
            if (readings.isEmpty()) {
                wrong.add("execution " + end.execution() + " was answered, and its record has no end");
            } else if (readings.stream().anyMatch(one -> one.status().equals("SUCCEEDED") != end.succeeded())) {
                wrong.add("execution " + end.execution() + " was answered otherwise than its record says: " + end + ", " + readings);
            }
        }
    }
}
