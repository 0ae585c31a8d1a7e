package dev.sand.hostagent.log;

import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.mask.Masks;
import java.util.List;

/** The log.sock of one sandbox. Every call is cheap and may come from any thread. */
public interface LogEndpoint extends AutoCloseable {
    /**
     * The sandbox is an application's now; output before that is thrown away.
     *
     * @param masks of what is masked in every line
     */
    void bind(AppKey app, Masks masks);

    /** What is masked in every line from now on. */
    void mask(Masks masks);

    /** A worker of that grain writes from now on. */
    void onWorker(String worker, String grain);

    /** Instances of that grain write from now on. */
    void onInstances(String grain, List<String> instances);

    /**
     * The instance gets that event now: what it writes from here on belongs to the attempt. A marker line of its own is more
     * exact, and needed only where one process serves many events.
     */
    void onAttempt(String instance, String executionId, String eventId, int attempt, String process);

    /** Stops listening; what processes have still to say is read until they end. */
    @Override
    void close();
}
