package dev.sand.hostagent.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What those in a {@link ProcessWorld} were promised, and what is there at its end: {@link WorldCheck} compares them. */
final class WorldHistory {
    /** PLAIN: a function may receive it; FIRES: a function is run with it; INVOKED: the same, and it was asked for by itself. */
    enum Kind { PLAIN, FIRES, INVOKED }

    /** @param body is its name, and begins with its sender's; @param atNs when it was sent, by its sender's first attempt that was told so */
    record Sent(Kind kind, String source, String destination, String body, boolean atomic, long atNs) {}

    /** @param toldNs when it was known to be over; Long.MAX_VALUE: never */
    record Kill(String process, long askedNs, long toldNs) {}

    record Look(String process, Set<String> keys, List<String> taken) {}

    /** By body. */
    final Map<String, Sent> sent = new LinkedHashMap<>();
    /** By body, when an attempt of its sender first invoked it, told so or not: a further one's is the same, and may be gone by then. */
    final Map<String, Long> invokedNs = new HashMap<>();
    /** Bodies in the order in which mailboxes took them; those that a crash took from the only host are there anew, behind others. */
    final List<String> arrived = new ArrayList<>();
    /** By invocation, the process that it ran in, of those that were answered; and when. */
    final Map<String, String> succeeded = new LinkedHashMap<>();
    final Map<String, Long> succeededNs = new HashMap<>();
    /** By invocation, when its first attempt began. */
    final Map<String, Long> beganNs = new HashMap<>();
    /** Invocations that callers asked for; and what each was told. */
    final Set<String> asked = new LinkedHashSet<>();
    final Map<String, String> told = new LinkedHashMap<>();
    /** By execution, its invocation. */
    final Map<String, String> names = new HashMap<>();
    /** Of which an attempt failed. */
    final Set<String> failed = new HashSet<>();
    final List<Kill> kills = new ArrayList<>();
    /** What somebody has seen who looked, if he has ended well: else what he took is there again. */
    final Map<String, Look> looks = new HashMap<>();
    /** By process, at the end. */
    final Map<String, Set<String>> keys = new LinkedHashMap<>();
    final Map<String, List<String>> unread = new LinkedHashMap<>();
    private final Map<String, List<String>> last = new HashMap<>();
    /** Those that were taken one after the other while nobody else had taken some that may come again. */
    final List<List<String>> orders = new ArrayList<>();
    /** Each is to be its key. */
    final Map<String, String> wrongValues = new LinkedHashMap<>();

    void sent(Sent message) {
        if (sent.putIfAbsent(message.body(), message) == null || !arrived.contains(message.body())) {
            arrived.add(message.body());
        }
    }

    /** @param alone nothing else runs, nor will */
    void looked(String name, boolean alone) {
        Look look = looks.remove(name);
        keys.put(look.process(), look.keys());
        unread.computeIfAbsent(look.process(), added -> new ArrayList<>()).addAll(look.taken());
        if (alone) {
            last.computeIfAbsent(look.process(), process -> {
                List<String> order = new ArrayList<>();
                orders.add(order);
                return order;
            }).addAll(look.taken());
        } else {
            orders.add(look.taken());
        }
    }

    /** Whether what came to the process at that time, or began in it, may have gone with it. */
    boolean mayBeKilled(String process, long atNs) {
        return kills.stream().anyMatch(kill -> kill.process().equals(process) && kill.toldNs() > atNs);
    }

    /** Whether what was told of at that time has gone with it for certain. */
    boolean isKilled(String process, long toldNs) {
        return kills.stream().anyMatch(kill -> kill.process().equals(process) && kill.askedNs() > toldNs && kill.toldNs() < Long.MAX_VALUE);
    }
}
