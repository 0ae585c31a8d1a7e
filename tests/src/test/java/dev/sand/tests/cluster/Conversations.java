package dev.sand.tests.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What cloud processes said to each other and what they wrote down, against what must never happen (PraaS 4.2): a message that is lost,
 * comes twice or before an earlier one of its source and key, a function that ended and whose writes are not there, or by half; of an
 * atomic function that failed, anything.
 */
final class Conversations {
    private static final String VOW = "vow";
    private static final String NEVER_CAME = " never came to ";

    /** @param from who said it; @param number as many as it had said before */
    record Heard(String from, int number) {}

    /**
     * What one process has at the end.
     *
     * @param said numbers of its functions that ended well; of those that failed, messages may have come all the same, and once
     * @param heard in the order in which it took them
     * @param keys of its state: {@code a/N} and {@code b/N} of each such function, and {@code v/N} of each atomic one
     */
    record Process(Set<Integer> said, List<Heard> heard, Vows vows, Set<String> keys) {
        Process(Set<Integer> said, List<Heard> heard, Set<String> keys) {
            this(said, heard, Vows.NONE, keys);
        }
    }

    /** Of atomic functions. @param kept numbers of those that ended well; @param broken that failed; @param heard of all, as above */
    record Vows(Set<Integer> kept, Set<Integer> broken, List<Heard> heard) {
        static final Vows NONE = new Vows(Set.of(), Set.of(), List.of());
    }

    private Conversations() {}

    /** What an atomic function sends may still be on its way when that has ended. */
    static boolean isVowThatNeverCame(String violation) {
        return violation.startsWith(VOW) && violation.contains(NEVER_CAME);
    }

    /** @param all by id: each says everything to each, itself too; @return a sentence for each thing that is wrong */
    static List<String> violations(Map<String, Process> all) {
        List<String> wrong = new ArrayList<>();
        all.forEach((to, process) -> {
            all.forEach((from, sender) -> {
                order(from, to, "message", sender.said(), process.heard(), wrong);
                order(from, to, VOW, sender.vows().kept(), process.vows().heard(), wrong);
                process.vows().heard().stream().filter(one -> one.from().equals(from) && sender.vows().broken().contains(one.number()))
                        .forEach(one -> wrong.add("vow " + one.number() + " of " + from + " came to " + to + ", and its function failed"));
            });
            process.heard().stream().filter(one -> !all.containsKey(one.from())).forEach(one -> wrong.add(to + " heard " + one + ", of nobody"));
            written(to, process, wrong);
        });
        return wrong;
    }

    private static void order(String from, String to, String what, Set<Integer> said, List<Heard> heard, List<String> wrong) {
        List<Integer> numbers = heard.stream().filter(one -> one.from().equals(from)).map(Heard::number).toList();
        Set<Integer> seen = new TreeSet<>();
        int last = -1;
        for (int number : numbers) {
            if (!seen.add(number)) {
                wrong.add(what + " " + number + " of " + from + " came to " + to + " twice");
            } else if (number < last) {
                wrong.add(what + " " + number + " of " + from + " came to " + to + " after " + last);
            }
            last = Math.max(last, number);
        }
        for (int number : new TreeSet<>(said)) {
            if (!seen.contains(number)) {
                wrong.add(what + " " + number + " of " + from + NEVER_CAME + to);
            }
        }
    }

    private static void written(String of, Process process, List<String> wrong) {
        for (int number : new TreeSet<>(process.said())) {
            for (String key : List.of("a/" + number, "b/" + number)) {
                if (!process.keys().contains(key)) {
                    wrong.add(of + " has not " + key + ", whose function ended");
                }
            }
        }
        process.keys().stream().filter(key -> key.startsWith("a/") && !process.keys().contains("b/" + key.substring(2)))
                .forEach(key -> wrong.add(of + " has " + key + ", and not the other half"));
        new TreeSet<>(process.vows().kept()).stream().map(number -> "v/" + number).filter(key -> !process.keys().contains(key))
                .forEach(key -> wrong.add(of + " has not " + key + ", whose function ended"));
        new TreeSet<>(process.vows().broken()).stream().map(number -> "v/" + number).filter(process.keys()::contains)
                .forEach(key -> wrong.add(of + " has " + key + ", whose function failed"));
    }
}
