package dev.sand.frontend.invoke;

import dev.sand.event.InvocationResult;
import java.util.LinkedHashMap;

/** The last results of idempotent requests, bounded in number and bytes: a repeat may come before the record of the first is stored. */
final class RecentResults {
    private static final int MOST = 1_000;
    private static final long MOST_BYTES = 64L << 20;
    private final LinkedHashMap<String, InvocationResult> results = new LinkedHashMap<>();
    private long bytes;

    /** The last one stays, whatever its size. */
    synchronized void put(InvocationResult result) {
        bytes += bytes(result) - bytes(results.put(result.executionId(), result));
        while (results.size() > 1 && (results.size() > MOST || bytes > MOST_BYTES)) {
            bytes -= bytes(results.pollFirstEntry().getValue());
        }
    }

    private static long bytes(InvocationResult result) {
        return result == null || result.output() == null ? 0 : result.output().size();
    }

    synchronized InvocationResult get(String executionId) {
        return results.get(executionId);
    }
}
