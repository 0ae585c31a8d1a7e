package dev.sand.frontend.deployment;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LogFields;
import dev.sand.frontend.invoke.IdempotencyKeys;
import dev.sand.frontend.invoke.Directory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes an application with all that is its own: what runs, versions, records, logs, data. It is noted before anything goes: one
 * that a part's loss cuts short is carried to its end, and until then the name is not deployed anew. Blocks.
 */
public final class Deletion {
    private static final Logger LOG = LoggerFactory.getLogger(Deletion.class);
    private static final int MOST_RUNNING = 10_000;
    private static final long CANCEL_MS = 5_000;
    private static final long DELETE_MS = 30_000;
    private final Registry registry;
    private final InvocationStore records;
    private final LogStore logs;
    private final GlobalStore store;
    private final HostAgentPort host;
    private final Directory directory;
    private final Consumer<String> data;
    private final ApplicationTopics topics;

    /** @param data removes the application's shared data, from memory too */
    public Deletion(Registry registry, InvocationStore records, LogStore logs, GlobalStore store, HostAgentPort host,
                    Directory directory, Consumer<String> data, ApplicationTopics topics) {
        this.registry = registry;
        this.records = records;
        this.logs = logs;
        this.store = store;
        this.host = host;
        this.directory = directory;
        this.data = data;
        this.topics = topics;
    }

    /**
     * Afterwards it is gone. What of it could not be removed just now is, later: by whoever asks again, or {@link UnfinishedDeletions}.
     *
     * @throws RuntimeException nothing of it is gone
     */
    public void delete(String application) {
        List<Integer> versions = registry.versions(application);
        long deletion = 0;
        try {
            deletion = registry.beginDeletion(application);
            // Nothing new can name it from here on; what runs is ended before its data goes.
            registry.deleteApplication(application);
            rest(application, versions, deletion);
        } catch (RuntimeException e) {
            if (!registry.versions(application).isEmpty() || versions.isEmpty() && registry.exists(application)) {
                stays(application, deletion, e);
                throw e;
            }
            directory.forget(application);
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, application)
                    .log("application {} is deleted, and what is left of it goes later: {}", application, e.toString());
        }
    }

    /** All of it: what nobody deletes any more may be deployed again. */
    private void stays(String application, long deletion, RuntimeException why) {
        if (deletion > 0) {
            try {
                registry.endDeletion(application, deletion);
            } catch (RuntimeException e) {
                why.addSuppressed(e);
            }
        }
    }

    /** With one that was cut short, if it still is, and its application gone: else whoever asked for it was told that nothing was. */
    void goOn(String application) {
        if (registry.versions(application).isEmpty()) {
            long deletion = registry.resumeDeletion(application);
            if (deletion > 0) {
                registry.deleteApplication(application);
                rest(application, List.of(), deletion);
            }
        }
    }

    private void rest(String application, List<Integer> versions, long deletion) {
        directory.forget(application);
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (InvocationRecord running : records.list(application, new Filter(Status.RUNNING, null), null, MOST_RUNNING).records()) {
            ends.add(host.cancel(running.executionId(), "application '" + application + "' is deleted"));
        }
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, CANCEL_MS, TimeUnit.MILLISECONDS).exceptionally(e -> null).join();
        versions.forEach(version -> host.retire(application, version));
        // They end what no record tells of, and forget what they keep in memory. Before the rest: what ends leaves a record.
        host.deleteApplication(application, registry.endVersions(application))
                .completeOnTimeout(null, DELETE_MS, TimeUnit.MILLISECONDS).exceptionally(e -> null).join();
        records.deleteApplication(application);
        logs.deleteApplication(application);
        data.accept(application);
        topics.delete(application);
        IdempotencyKeys.forget(store, application);
        Contents.forget(store, application);
        // Another frontend may have been in the middle of a deployment: what it registered has no topics any more.
        registry.versions(application).forEach(version -> host.retire(application, version));
        registry.deleteApplication(application);
        directory.forget(application);
        registry.endDeletion(application, deletion);
    }
}
