package dev.sand.hostagent.shard;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Reports of processes' ends that wait. A parent's word of an end comes on its own connection, and may be read before what the
 * process itself still had to say on another: so it waits until that is closed, or for a moment when a process left behind
 * holds it open. Shard thread only.
 *
 * <p>The moment may be over before the shard's thread was given a processor to read what has long been in the socket. So when it
 * is over, a round of the event loop follows, which reads all sockets, before the report is believed.
 */
final class LastWords {
    static final Duration PATIENCE = Duration.ofMillis(100);
    /** Timers that are set in one round of the loop run in a later one. */
    static final Duration ROUND = Duration.ofMillis(1);

    private final BiConsumer<Duration, Runnable> after;
    private final Map<String, Runnable> held = new HashMap<>();

    /** @param after runs something on the shard's thread, later */
    LastWords(BiConsumer<Duration, Runnable> after) {
        this.after = after;
    }

    /** @param report reports the end */
    void hold(String process, Runnable report) {
        held.put(process, report);
        after.accept(PATIENCE, () -> after.accept(ROUND, () -> {
            if (held.remove(process, report)) {
                report.run();
            }
        }));
    }

    /** Its connection is closed: it has said everything. */
    void closed(String process) {
        Runnable report = held.remove(process);
        if (report != null) {
            report.run();
        }
    }
}
