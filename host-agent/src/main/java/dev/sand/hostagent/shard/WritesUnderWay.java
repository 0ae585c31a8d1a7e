package dev.sand.hostagent.shard;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What is being written for applications, off the shards: who deletes one waits for it, so that it is not found in the next one of
 * that name. Any thread; a write begins on the shard's, which begins none once the application is deleted.
 */
final class WritesUnderWay {
    private final Map<String, Set<CompletableFuture<Void>>> byApplication = new ConcurrentHashMap<>();

    /**
     * @param write null, or what completes when it is written or will not be
     * @return false when there is too much to do already: nothing is written
     */
    boolean tryRun(Work work, String application, Supplier<CompletableFuture<?>> write) {
        CompletableFuture<Void> underWay = begin(application);
        boolean taken = work.tryRun(() -> {
            CompletableFuture<?> ending = null;
            try {
                ending = write.get();
            } finally {
                if (ending == null) {
                    underWay.complete(null);
                } else {
                    ending.whenComplete((done, failure) -> underWay.complete(null));
                }
            }
        });
        if (!taken) {
            underWay.complete(null);
        }
        return taken;
    }

    private CompletableFuture<Void> begin(String application) {
        CompletableFuture<Void> write = new CompletableFuture<>();
        byApplication.compute(application, (name, writes) -> {
            Set<CompletableFuture<Void>> more = writes == null ? ConcurrentHashMap.newKeySet(4) : writes;
            more.add(write);
            return more;
        });
        write.thenRun(() -> byApplication.computeIfPresent(application, (name, writes) -> {
            writes.remove(write);
            return writes.isEmpty() ? null : writes;
        }));
        return write;
    }

    /** Completes once all have ended that have begun by now. */
    CompletableFuture<Void> settled(String application) {
        Set<CompletableFuture<Void>> writes = byApplication.get(application);
        return writes == null ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new));
    }
}
