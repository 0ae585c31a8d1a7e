package dev.sand.hostagent.triggers;

import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.datalayer.TriggerStore.VersionedSchedule;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.DeletedVersions;
import dev.sand.event.QueueSpec;
import dev.sand.event.TriggerSpec;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.Name;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The triggers of all applications on this host (FaaSKeeper 2.2): delivers the messages of their queues, fires their schedules
 * and turns changes of shared data into messages, as far as the slots are this host's. It looks once a second what there is:
 * applications come and go, aliases and slots move, triggers are armed and disarmed by any frontend.
 */
public final class TriggerRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TriggerRunner.class);
    private static final Duration REFRESH = Duration.ofSeconds(1);
    /** Between two looks at marks of changes: a write that takes longer is told of twice. */
    private static final int REFRESHES_A_RECOVERY = 30;

    private final TriggerParts parts;
    private final Crew crew = new Crew();
    private final Map<Name, QueueDriver> queues = new HashMap<>();
    private final Map<Name, ScheduleDriver> schedules = new HashMap<>();
    private final DataChanges changes;
    private final TriggerFigures figures = new TriggerFigures();
    private volatile Set<Name> disarmed = Set.of();
    private DeletedVersions deleted = DeletedVersions.NONE;
    private int refreshes;
    private boolean closed;

    public TriggerRunner(TriggerParts parts) {
        this.parts = parts;
        this.changes = new DataChanges(parts.registry(), parts.queues(), parts.store(),
                (application, trigger) -> !disarmed.contains(new Name(application, trigger)));
        parts.data().listen(changes);
        crew.own(this::look);
    }

    /** For a process without grains that writes shared data: triggers hear of its changes as of a host's. */
    public static SharedData.ChangeListener changes(Registry registry, Queues queues, TriggerStore store) {
        return new DataChanges(registry, queues, store, (application, trigger) -> registry.resolve(application, Registry.LIVE)
                .map(live -> live.triggers().get(trigger)).filter(spec -> isArmed(store, application, spec)).isPresent());
    }

    private static boolean isArmed(TriggerStore store, String application, TriggerSpec trigger) {
        return store.schedule(application, trigger.name()).map(VersionedSchedule::state).map(ScheduleState::armed).orElse(trigger.armed());
    }

    /** What a look found. */
    private record Found(List<ApplicationVersion> live, Set<Name> disarmed) {}

    private void look() {
        if (closed) {
            return;
        }
        boolean recovers = refreshes++ % REFRESHES_A_RECOVERY == 0;
        crew.ask(() -> find(recovers), (found, failure) -> {
            if (failure == null) {
                disarmed = found.disarmed;
                refresh(found.live);
            } else {
                LOG.warn("triggers stay as they are, applications cannot be read: {}", failure.getMessage());
            }
            crew.after(REFRESH, this::look);
        });
    }

    private Found find(boolean recovers) {
        List<ApplicationVersion> live = new ArrayList<>();
        Set<Name> off = new HashSet<>();
        for (String application : parts.registry().applications()) {
            ApplicationVersion version = parts.registry().resolve(application, Registry.LIVE).orElse(null);
            if (version == null || version.queues().isEmpty() && version.triggers().isEmpty()) {
                continue;
            }
            live.add(version);
            boolean watches = false;
            for (TriggerSpec trigger : version.triggers().values()) {
                if (!isArmed(parts.store(), application, trigger)) {
                    off.add(new Name(application, trigger.name()));
                }
                watches |= trigger.prefix() != null;
            }
            int marksSlot = parts.queues().partitionOf(application, "changes");
            if (recovers && watches && parts.ownership().epoch(marksSlot) != 0 && parts.ownership().mayAct()) {
                changes.recover(version);
            }
        }
        return new Found(live, off);
    }

    private void refresh(List<ApplicationVersion> live) {
        Set<Name> there = new HashSet<>();
        Set<Name> scheduled = new HashSet<>();
        for (ApplicationVersion version : live) {
            if (deleted.covers(version.application(), version.version())) {
                continue; // It was there when the look began.
            }
            for (QueueSpec spec : version.allQueues().values()) {
                Name name = new Name(version.application(), spec.name());
                there.add(name);
                queues.computeIfAbsent(name, n -> new QueueDriver(parts, crew, version, spec, figures.queue(n, this::isGone)))
                        .refresh(version, spec);
            }
            for (TriggerSpec trigger : version.triggers().values()) {
                if (trigger.isScheduled()) {
                    Name name = new Name(version.application(), trigger.name());
                    scheduled.add(name);
                    schedules.computeIfAbsent(name, n -> new ScheduleDriver(parts, crew, n.application(), trigger,
                            figures.schedule(n, this::isGone))).refresh(trigger);
                }
            }
        }
        closeAll(name -> !there.contains(name) && !scheduled.contains(name));
        schedules.keySet().stream().filter(name -> !scheduled.contains(name)).toList().forEach(name -> schedules.remove(name).close());
    }

    /**
     * The application is deleted: its messages, fires and changes up to that version are none of the next one of that name.
     *
     * @return completes once nothing of it is delivered any more, and nothing is under way to the store
     */
    public CompletableFuture<Void> stop(String application, int upTo) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        crew.own(() -> {
            deleted = deleted.with(application, upTo);
            closeAll(name -> name.application().equals(application));
            crew.quiet().thenRun(() -> stopped.complete(null));
        });
        return stopped;
    }

    private void closeAll(Predicate<Name> gone) {
        for (Name name : List.copyOf(schedules.keySet())) {
            if (gone.test(name)) {
                schedules.remove(name).close();
            }
        }
        for (Name name : List.copyOf(queues.keySet())) {
            if (gone.test(name)) {
                queues.remove(name).close();
            }
        }
    }

    private boolean isGone(Name name) {
        return !queues.containsKey(name) && !schedules.containsKey(name);
    }

    /** What is measured here, for a scrape; does not complete once it is closed. */
    public CompletableFuture<TriggerFigures.Reading> figures() {
        CompletableFuture<TriggerFigures.Reading> reading = new CompletableFuture<>();
        crew.own(() -> reading.complete(figures.read(queues.values())));
        return reading;
    }

    /** Messages under way come again at the next start, or on another host. Called before the host agent is closed. */
    @Override
    public void close() {
        parts.data().listen(SharedData.ChangeListener.NONE);
        crew.own(() -> closed = true);
        crew.close();
        queues.values().forEach(QueueDriver::close);
    }
}
