package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Grant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Processes that were here, and when they went: grants of before that are of no use. Bounded; on the data plane's event loop. */
final class Departures {
    /** A grant lives for an hour at most. */
    private static final int MOST = 10_000;

    private record Gone(String application, String process) {}

    private final Map<Gone, Long> gone = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Gone, Long> eldest) {
            return size() > MOST;
        }
    };

    void add(String application, String process, long nowMs) {
        Gone which = new Gone(application, process);
        gone.remove(which);
        gone.put(which, nowMs);
    }

    /** Whether it went after the grant was issued. */
    boolean endedThe(Grant grant) {
        Long goneMs = gone.get(new Gone(grant.application(), grant.process()));
        return goneMs != null && grant.issuedMs() < goneMs;
    }
}
