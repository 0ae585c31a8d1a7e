package dev.sand.hostagent.shard;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports of processes' ends that wait. A parent's word of an end comes on its own connection, and may be read before what the
 * process itself still had to say on another: so it waits until that is closed, or for a moment when a process left behind
 * holds it open. Shard thread only.
 */
final class LastWords {
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Shard shard;
    private final Map<String, Runnable> held = new HashMap<>();

    LastWords(Shard shard) {
        this.shard = shard;
    }

    /** @param report reports the end */
    void hold(String process, Runnable report) {
        held.put(process, report);
        shard.after(PATIENCE, () -> {
            if (held.remove(process, report)) {
                report.run();
            }
        });
    }

    /** Its connection is closed: it has said everything. */
    void closed(String process) {
        Runnable report = held.remove(process);
        if (report != null) {
            report.run();
        }
    }
}
