package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a function of a process is told of its state with its event: small values of what it read the times before, so that it need not
 * ask. They are what it would be given all the while, for it is told only where nothing else changes the state before it ends: it runs
 * alone, as its process says, and no end of another is on its way.
 */
final class StateAhead {
    private static final int MOST_KEYS = 4;
    private static final int MOST_BYTES = 128 << 10;
    /** So often it is told nothing: what it asks for then it still reads. */
    private static final int AGAIN = 64;

    private static final class Reads {
        final Set<String> keys = new LinkedHashSet<>(2);
        /** Others that it has asked for though it was told of as many as it may be. */
        final Set<String> others = new HashSet<>(0);
        int told;

        /** It reads this and that: what it read before says little of what it will. */
        boolean reachesFar() {
            return others.size() >= MOST_KEYS;
        }
    }

    private final CoreContext context;
    private final ProcessHome home;
    private final Map<String, Reads> byGrain = new HashMap<>(0);
    private Attempt told;

    StateAhead(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** It has asked. */
    void onRead(String grain, String key) {
        Reads reads = byGrain.computeIfAbsent(grain, added -> new Reads());
        if (reads.keys.size() < MOST_KEYS) {
            reads.keys.add(key);
        } else if (told != null && !reads.reachesFar() && !reads.keys.contains(key)) {
            reads.others.add(key);
        }
    }

    /** @return null values: there are none */
    List<StateWrite> tell(String grain, Attempt attempt) {
        Reads reads = byGrain.get(grain);
        if (reads == null || !isAlone() && context.has(Rule.TOLD_RUNS_ALONE)) {
            return List.of();
        }
        if (++reads.told % AGAIN == 0) {
            byGrain.remove(grain);
            return List.of();
        }
        if (reads.reachesFar()) {
            return List.of();
        }
        List<StateWrite> values = new ArrayList<>(reads.keys.size());
        long left = MOST_BYTES;
        for (String key : reads.keys) {
            Payload value = home.process().get(attempt, key);
            if (value == null) {
                values.add(new StateWrite(key, null));
            } else if (!InImage.is(value) && value.reference() == null && value.size() <= left) {
                left -= value.size();
                values.add(new StateWrite(key, value));
            }
        }
        if (!values.isEmpty()) {
            told = attempt;
        }
        return values;
    }

    private boolean isAlone() {
        return home.spec().concurrency() == 1 && home.occupants().running() == 1 && home.process().isSettled();
    }

    /** A function knows what another one could change: no other begins before it has ended, whatever a newer version allows. */
    boolean holdsOthers() {
        return told != null;
    }

    void ended(Attempt attempt) {
        if (attempt.equals(told)) {
            told = null;
        }
    }
}
