package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Cloud processes under every fault that we know: no state write lost or half applied, no message lost, doubled or out of order.
 * {@code -Dsand.sim.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins elsewhere.
 */
class ProcessSimulationTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.seeds", 400);
    private static final long FIRST = Long.getLong("sand.sim.first", 1);

    /** @return what is wrong, or null */
    private static String violation(long seed, ProcessWorld.Fault fault) {
        ProcessWorld world = new ProcessWorld(seed, fault);
        try {
            world.run();
        } catch (RuntimeException e) {
            return "seed " + seed + ": " + e;
        }
        String wrong = check(world);
        return wrong == null ? null : "seed " + seed + ": " + wrong;
    }

    private static String check(ProcessWorld world) {
        if (world.early != null) {
            return world.early;
        }
        if (world.finalKeys.size() < 3) {
            return "not all processes answer at the end: " + world.finalKeys.keySet();
        }
        if (!world.wrongValues.isEmpty()) {
            return "values that are not as they were written: " + world.wrongValues;
        }
        for (ProcessWorld.Read read : world.reads) {
            String stale = stale(world, read);
            if (stale != null) {
                return stale;
            }
        }
        Set<String> all = new HashSet<>();
        Set<String> ended = new HashSet<>();
        for (Map.Entry<String, List<String>> process : world.finalKeys.entrySet()) {
            Set<String> keys = new HashSet<>(process.getValue());
            for (String key : keys) {
                if (key.startsWith("a/") && !keys.contains("b/" + key.substring(2))) {
                    return process.getKey() + " has half of what " + key.substring(2) + " wrote";
                }
                if (key.startsWith("a/") && isFirst(key) && !ended.add(name(key))) {
                    return name(key) + " has taken effect twice";
                }
                if (key.startsWith("s/") && !hasEnded(world, key.substring(2))) {
                    return process.getKey() + " knows that " + key.substring(2) + " has ended, and it has not";
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
        for (String each : world.told) {
            if (!hasEnded(world, each)) {
                return "somebody was told that " + each + " has ended, and it has not";
            }
        }
        for (Map.Entry<String, String> done : world.succeeded.entrySet()) {
            if (!hasLeftItsMark(world, done.getValue(), done.getKey())) {
                return "what " + done.getKey() + " wrote is lost, and it was answered";
            }
            for (String invoked : world.invoked.getOrDefault(done.getKey(), Set.of())) {
                if (!world.failed.contains(invoked) && !hasLeftItsMark(world, world.processOf.get(invoked), invoked)) {
                    return done.getKey() + " has ended, and " + invoked + ", which it invoked, is lost";
                }
            }
        }
        List<String> arrived = new ArrayList<>(world.sent.keySet());
        for (ProcessWorld.Message message : world.sent.values()) {
            boolean isEnded = world.succeeded.containsKey(message.body().substring(0, message.body().indexOf('#')));
            if (isEnded && !all.contains(message.body())) {
                return "message " + message.body() + " is lost, and its sender was answered";
            }
        }
        for (List<String> unread : world.finalMessages.values()) {
            for (int i = 1; i < unread.size(); i++) {
                ProcessWorld.Message before = world.sent.get(unread.get(i - 1));
                ProcessWorld.Message behind = world.sent.get(unread.get(i));
                if (before != null && behind != null && before.source().equals(behind.source())
                        && arrived.indexOf(before.body()) > arrived.indexOf(behind.body())) {
                    return "messages " + before + " and " + behind + " are out of order";
                }
            }
        }
        return null;
    }

    /** Who was answered before another one began has been written over by that, once that was answered. */
    private static String stale(ProcessWorld world, ProcessWorld.Read read) {
        if (read.value() != null && !read.key().equals(world.overwrites.get(read.value()))) {
            return "nobody wrote what " + read + " has";
        }
        long settledNs = read.value() == null ? 0 : world.answeredNs.getOrDefault(read.value(), Long.MAX_VALUE);
        for (Map.Entry<String, Long> other : world.answeredNs.entrySet()) {
            boolean over = read.key().equals(world.overwrites.get(other.getKey())) && world.beganNs.get(other.getKey()) > settledNs;
            if (over && other.getValue() < read.sinceNs()) {
                return read + " does not have what " + other.getKey() + " wrote over it";
            }
        }
        return null;
    }

    private static boolean hasEnded(ProcessWorld world, String processAndName) {
        int slash = processAndName.indexOf('/');
        return world.finalKeys.get(processAndName.substring(0, slash)).contains("a/" + processAndName.substring(slash + 1));
    }

    private static boolean hasLeftItsMark(ProcessWorld world, String process, String name) {
        return name.startsWith("last") || TellingFunction.changesNothing(name)
                || world.finalKeys.get(process).stream().anyMatch(key -> key.startsWith("a/") && name(key).equals(name));
    }

    private static String name(String key) {
        return key.substring(2, key.indexOf('~'));
    }

    /** A client's: what a function invoked and forgot when it was lost, it invokes again. */
    private static boolean isFirst(String key) {
        return !name(key).contains(".");
    }

    @Test
    void nothingIsLostDoubledOrHalfDone() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(violation(seed, ProcessWorld.Fault.NONE)).isNull();
        }
    }

    @Test
    void stateOverflowsInSomeOfThem() {
        int loaded = 0;
        for (long seed = 1; seed <= 20; seed++) {
            ProcessWorld world = new ProcessWorld(seed, ProcessWorld.Fault.NONE);
            world.run();
            loaded += world.loaded;
        }
        assertThat(loaded).isGreaterThan(100);
    }

    @Test
    void anAnswerBeforeTheJournalHasItIsFound() {
        isFound(ProcessWorld.Fault.ANSWERS_FIRST);
    }

    @Test
    void whatTellsOfAChangeThatIsNotDurableAndGoesOutIsFound() {
        assertThat(isFound(ProcessWorld.Fault.TELLS_FIRST)).contains("durable");
    }

    private static String isFound(ProcessWorld.Fault fault) {
        String found = null;
        for (long seed = 1; seed <= 200 && found == null; seed++) {
            found = violation(seed, fault);
        }
        assertThat(found).isNotNull();
        return found;
    }
}
