package dev.sand.frontend.deployment;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.datalayer.InvocationStore.Page;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LogFields;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which versions of an application stay: the last {@link #VERSIONS_KEPT}, those that an alias names, and those that an
 * execution still runs on. Collected by each deployment; the files follow on each host with its next build. Blocks.
 */
final class Retention {
    static final int VERSIONS_KEPT = 10;
    private static final int PAGE = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private final Registry registry;
    private final InvocationStore records;
    private final Contents contents;

    Retention(Registry registry, InvocationStore records, Contents contents) {
        this.registry = registry;
        this.records = records;
        this.contents = contents;
    }

    /** @return the versions that are gone now */
    List<Integer> collect(String application) {
        List<Integer> versions = registry.versions(application);
        if (versions.size() <= VERSIONS_KEPT) {
            return List.of();
        }
        Set<Integer> kept = new HashSet<>(versions.subList(versions.size() - VERSIONS_KEPT, versions.size()));
        kept.addAll(registry.aliases(application).values());
        kept.addAll(running(application));
        List<Integer> gone = versions.stream().filter(version -> !kept.contains(version) && delete(application, version)).toList();
        if (!gone.isEmpty()) {
            contents.forget(application, new HashSet<>(gone));
            LOG.atInfo().addKeyValue(LogFields.APPLICATION, application)
                    .log("{}: versions {} are gone, the last {} and those in use stay", application, gone, VERSIONS_KEPT);
        }
        return gone;
    }

    private Set<Integer> running(String application) {
        Set<Integer> versions = new HashSet<>();
        String before = null;
        do {
            Page page = records.list(application, new Filter(Status.RUNNING, null), before, PAGE);
            page.records().stream().map(InvocationRecord::version).forEach(versions::add);
            before = page.next();
        } while (before != null);
        return versions;
    }

    private boolean delete(String application, int version) {
        try {
            return registry.deleteVersion(application, version);
        } catch (StoreException named) {
            LOG.atDebug().addKeyValue(LogFields.APPLICATION, application).addKeyValue(LogFields.VERSION, version)
                    .log("version {} of {} stays: {}", version, application, named.getMessage());
            return false;
        }
    }
}
