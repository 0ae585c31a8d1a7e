package dev.sand.hostagent.dataplane;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The executions that began last on a host, each of which counts once, whoever asks for it again while it runs. Where that is not known any
 * more, nobody pays. On the data plane's event loop.
 */
final class CountedOnce {
    private final Map<String, Long> begun;
    /** When the newest of those that are forgotten was asked for first. */
    private long forgottenMs = Long.MIN_VALUE;

    CountedOnce(int most) {
        begun = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                boolean goes = size() > most;
                forgottenMs = goes ? Math.max(forgottenMs, eldest.getValue()) : forgottenMs;
                return goes;
            }
        };
    }

    /**
     * It begins here, or has.
     *
     * @param askedMs when it was asked for first; @param repeated whether that was before
     * @return false: it counts, or has, for who asked first
     */
    boolean begins(String executionId, long askedMs, boolean repeated) {
        if (begun.containsKey(executionId) || repeated && askedMs <= forgottenMs) {
            return false;
        }
        begun.put(executionId, askedMs);
        return true;
    }

    /** For sure; one that is forgotten may have. */
    boolean hasBegun(String executionId) {
        return begun.containsKey(executionId);
    }

    /** It has not begun here after all. */
    void beginsNot(String executionId) {
        begun.remove(executionId);
    }
}
