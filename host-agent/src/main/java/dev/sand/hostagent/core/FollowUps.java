package dev.sand.hostagent.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Functions that a function invoked in its own process, and that are neither in the journal nor have ended: they run, and the end of who
 * invoked them waits. Should all be lost before, it runs again, and invokes them again under the same ids.
 */
final class FollowUps {
    private static final class Of {
        final Set<String> invoked = new HashSet<>(2);
        final List<Runnable> waiting = new ArrayList<>(0);
    }

    private final Map<String, Of> byCaller = new HashMap<>();

    void begin(String caller, String invoked) {
        byCaller.computeIfAbsent(caller, added -> new Of()).invoked.add(invoked);
    }

    /** It is in the journal, or has ended. */
    void done(String caller, String invoked) {
        Of of = byCaller.get(caller);
        if (of != null && of.invoked.remove(invoked) && of.invoked.isEmpty()) {
            byCaller.remove(caller);
            of.waiting.forEach(Runnable::run);
        }
    }

    /** Does the step when all of the caller's are done. @return false: they are, and it is done by whoever asks */
    boolean delays(String caller, Runnable step) {
        Of of = byCaller.isEmpty() ? null : byCaller.get(caller);
        return of != null && of.waiting.add(step);
    }

    /** The caller has ended. */
    void forget(String caller) {
        byCaller.remove(caller);
    }
}
