package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.hostagent.core.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Cloud processes under every fault that we know: no state write lost or half applied, no message lost, doubled or out of order.
 * {@code -Dsand.sim.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins elsewhere.
 */
class ProcessSimulationTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.seeds", 400);
    private static int migrations;
    private static final long FIRST = Long.getLong("sand.sim.first", 1);

    /** @return what is wrong, or null */
    private static String violation(long seed, Set<Rule> rules, int hosts) {
        return violation(seed, new ProcessWorld(seed, rules, hosts));
    }

    private static String violation(long seed, ProcessWorld world) {
        try {
            world.run();
        } catch (RuntimeException e) {
            return "seed " + seed + ": " + e;
        }
        migrations += world.migrations;
        String wrong = check(world);
        return wrong == null ? null : "seed " + seed + ": " + wrong;
    }

    private static String check(ProcessWorld world) {
        if (world.finalKeys.size() < 3) {
            return "not all processes answer at the end: " + world.finalKeys.keySet();
        }
        if (!world.wrongValues.isEmpty()) {
            return "values that are not as they were written: " + world.wrongValues;
        }
        String stale = world.reads.stale();
        if (stale != null) {
            return stale;
        }
        for (InvocationRecord record : world.records.all()) {
            Failure failure = record.failure();
            if (failure != null && (failure.error().equals(Errors.MOVED) || !RecordedResults.isKnown(failure))) {
                return "execution " + record.executionId() + " ended as " + failure.error() + ": " + failure.cause();
            }
        }
        Set<String> all = new HashSet<>();
        for (Map.Entry<String, List<String>> process : world.finalKeys.entrySet()) {
            Set<String> keys = new HashSet<>(process.getValue());
            for (String key : keys) {
                if (key.startsWith("a/") && !keys.contains("b/" + key.substring(2))) {
                    return process.getKey() + " has half of what " + key.substring(2) + " wrote";
                }
                if (key.startsWith("r/") && !all.add(key.substring(2))) {
                    return "message " + key.substring(2) + " was received twice";
                }
            }
            for (String body : world.finalMessages.get(process.getKey())) {
                if (!all.add(body)) {
                    return "message " + body + " is there twice";
                }
            }
        }
        for (Map.Entry<String, String> done : world.succeeded.entrySet()) {
            if (!done.getKey().startsWith("last") && !world.finalKeys.get(done.getValue()).contains("a/" + done.getKey())) {
                return "what " + done.getKey() + " wrote is lost, and it was answered";
            }
        }
        for (String body : world.sent.keySet()) {
            if (world.succeeded.containsKey(sender(body)) && !all.contains(body)) {
                return "message " + body + " is lost, and its sender was answered";
            }
        }
        for (List<String> unread : world.finalMessages.values()) {
            String wrong = disorder(world, unread);
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Each invocation sends its messages in the order of their numbers; those of one host are taken as its functions are told. */
    private static String disorder(ProcessWorld world, List<String> unread) {
        List<String> arrived = new ArrayList<>(world.sent.keySet());
        for (int i = 1; i < unread.size(); i++) {
            String before = unread.get(i - 1);
            String behind = unread.get(i);
            boolean isSender = sender(before).equals(sender(behind)) && number(before) > number(behind);
            boolean isSource = world.isOne() && arrived.contains(before) && arrived.contains(behind)
                    && world.sent.get(before).source().equals(world.sent.get(behind).source())
                    && arrived.indexOf(before) > arrived.indexOf(behind);
            if (isSender || isSource) {
                return "messages " + before + " and " + behind + " are out of order";
            }
        }
        return null;
    }

    private static int number(String body) {
        return Integer.parseInt(body.substring(body.indexOf('#') + 1));
    }

    private static String sender(String body) {
        return body.substring(0, body.indexOf('#'));
    }

    @Test
    void nothingIsLostDoubledOrHalfDone() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(violation(seed, Rule.ALL, 1)).isNull();
        }
    }

    @Test
    void stateOverflowsInSomeOfThem() {
        int loaded = 0;
        for (long seed = 1; seed <= 20; seed++) {
            ProcessWorld world = new ProcessWorld(seed, Rule.ALL, 1);
            world.run();
            loaded += world.loaded;
        }
        assertThat(loaded).isGreaterThan(100);
    }

    @Test
    void anAnswerBeforeTheJournalHasItIsFound() {
        assertThat(LongStream.rangeClosed(1, 200).mapToObj(seed -> {
            ProcessWorld world = new ProcessWorld(seed, Rule.ALL, 1);
            world.answersEarly = true;
            return violation(seed, world);
        }).anyMatch(Objects::nonNull)).isTrue();
    }

    @Test
    void norWhenProcessesGoFromHostToHost() {
        migrations = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(violation(seed, Rule.ALL, 2)).isNull();
        }
        assertThat(migrations).as("processes that were moved by hand").isGreaterThan(SEEDS / 4);
    }

    @Test
    void aProcessThatLeavesBeforeAllThatRanInItIsKnownIsFound() {
        Set<Rule> others = EnumSet.complementOf(EnumSet.of(Rule.RECOVERED_BEFORE_LEAVING));
        assertThat(LongStream.range(FIRST, FIRST + SEEDS).mapToObj(seed -> violation(seed, others, 2)).anyMatch(Objects::nonNull)).isTrue();
    }
}
