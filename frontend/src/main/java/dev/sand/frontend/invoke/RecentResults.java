package dev.sand.frontend.invoke;

import dev.sand.event.InvocationResult;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last results of idempotent requests: a repeat may come before the record of the first is stored. */
final class RecentResults {
    private static final int MOST = 1_000;
    private final Map<String, InvocationResult> results = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, InvocationResult> eldest) {
            return size() > MOST;
        }
    };

    synchronized void put(InvocationResult result) {
        results.put(result.executionId(), result);
    }

    synchronized InvocationResult get(String executionId) {
        return results.get(executionId);
    }
}
