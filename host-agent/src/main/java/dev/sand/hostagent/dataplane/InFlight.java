package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Grant;
import dev.sand.datalayer.LatelyRead;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.LogFields;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many invocations a client may have under way at once, which its welcome tells: no more than its process runs and lets wait, so
 * that a client that keeps to it waits itself, and is not refused.
 */
final class InFlight {
    private static final Logger LOG = LoggerFactory.getLogger(InFlight.class);
    private static final long PATIENCE_MS = 300;

    private final int most;
    private final HostAgentPort agent;
    private final LatelyRead<String, Live> versions;
    private final Executor blocking;
    private final Executor loop;

    /** @param most of any connection; @param loop what is found is told there */
    InFlight(int most, HostAgentPort agent, LatelyRead<String, Live> versions, Executor blocking, Executor loop) {
        this.most = most;
        this.agent = agent;
        this.versions = versions;
        this.blocking = blocking;
        this.loop = loop;
    }

    /** In the granted process as it is now. @param then told at least 1; at most of any connection, when nothing better is known */
    void find(Grant grant, IntConsumer then) {
        blocking.execute(() -> {
            int found = most;
            try {
                found = of(grant);
            } catch (RuntimeException e) { // the first invocation tells of it
                LOG.atDebug().addKeyValue(LogFields.APPLICATION, grant.application())
                        .log("what process {} of {} takes at once is not known: {}", grant.process(), grant.application(), e.toString());
            }
            int told = found;
            try {
                loop.execute(() -> then.accept(told));
            } catch (RejectedExecutionException e) {
                LOG.debug("nobody waits for a welcome any more: the host stops");
            }
        });
    }

    private int of(Grant grant) {
        Live known = versions.known(grant.application());
        Live live = known != null ? known : versions.load(grant.application()).orElse(null);
        if (live == null || !live.isGranted(grant)) {
            return most;
        }
        ApplicationVersion version = live.version();
        ProcessSpec spec = version.processSpec();
        long atOnce = concurrency(grant, version, spec);
        return (int) Math.clamp(atOnce + spec.queueDepth(), 1, most);
    }

    /** Its own, when something was said of it as it was made. */
    private int concurrency(Grant grant, ApplicationVersion version, ProcessSpec spec) {
        CompletableFuture<Integer> asked = agent.process(new ProcessCommand(grant.application(), version.version(), grant.process(),
                        ProcessCommand.Kind.DESCRIBE)).copy().orTimeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
                .handle((view, failure) -> view == null ? spec.concurrency() : view.concurrency());
        return asked.join();
    }
}
