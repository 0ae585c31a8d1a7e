package dev.sand.standalone;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.event.LogFields;
import dev.sand.hostagent.ApplicationSecrets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets of the applications that run on this host: those of the operator's file, and beside them those that are stored.
 * They are read when an application is loaded, and again when the file or a stored one has changed; shards are given what is in
 * memory. What cannot be read now stays as it was.
 */
final class HostSecrets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostSecrets.class);
    private static final long LOOK_MS = 1000;
    /** Whoever changed one may have died before it said so: all are read again after so many looks. */
    private static final int LOOKS_A_READ = 60;
    private final OperatorsSecrets operators;
    private final StoredSecrets stored;
    private final Map<String, ApplicationSecrets> known = new ConcurrentHashMap<>();
    private final ScheduledExecutorService looking =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().name("sand-secrets").daemon().factory());
    /** Of whom a secret could not be read when it was looked at last: they are tried again with each look, and told of once. */
    private final Set<String> unread = new HashSet<>();
    private volatile Consumer<String> changed = application -> {};
    private long changes = -1;
    private long fileMs = -1;
    private int looks;

    HostSecrets(OperatorsSecrets operators, StoredSecrets stored) {
        this.operators = operators;
        this.stored = stored;
    }

    /** From memory, from any thread. */
    ApplicationSecrets of(String application) {
        return known.getOrDefault(application, ApplicationSecrets.NONE);
    }

    /** Before a version of it runs here that names some. Blocks. @throws RuntimeException when it is not known yet, and cannot be read now */
    void load(String application) {
        boolean[] other = {false};
        known.compute(application, (name, before) -> {
            try {
                ApplicationSecrets read = read(application, before == null ? ApplicationSecrets.NONE : before);
                other[0] = before != null && read != before;
                return read;
            } catch (RuntimeException e) {
                if (before == null) {
                    throw e;
                }
                return before;
            }
        });
        if (other[0]) {
            changed.accept(application); // The next look finds them equal, and an earlier version runs with those of before.
        }
    }

    void forget(String application) {
        known.remove(application);
    }

    private ApplicationSecrets read(String application, ApplicationSecrets before) {
        StoredSecrets.Opened opened = stored.open(application);
        Map<String, String> values = new HashMap<>(opened.values());
        values.putAll(operators.of(application));
        Map<String, String> unopened = new HashMap<>(opened.unopened());
        unopened.keySet().removeAll(values.keySet());
        return before.renewed(Map.copyOf(values), Map.copyOf(unopened));
    }

    /** @param whom told of each application whose secrets are others from now on */
    void tell(Consumer<String> whom) {
        changed = whom;
    }

    /** @param applications all of the platform: of whom something is stored that cannot be opened here is told */
    void start(Supplier<List<String>> applications) {
        looking.execute(() -> warn(applications));
        looking.scheduleWithFixedDelay(() -> {
            try {
                look();
            } catch (RuntimeException e) {
                LOG.debug("secrets stay as they are: they cannot be read now", e);
            }
        }, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** A key that was lost is found missing now, not when a grain needs what it closed. */
    void warn(Supplier<List<String>> applications) {
        try {
            for (String application : applications.get()) {
                Map<String, List<String>> namesByReason = new TreeMap<>();
                stored.open(application).unopened()
                        .forEach((name, why) -> namesByReason.computeIfAbsent(why, ignored -> new ArrayList<>()).add(name));
                namesByReason.forEach((why, names) ->
                        LOG.atWarn().addKeyValue(LogFields.APPLICATION, application)
                                .log("stored secrets {} of application {} cannot be opened: {}", names, application, why));
            }
        } catch (RuntimeException e) {
            LOG.warn("not looked whether all stored secrets can be opened here", e);
        }
    }

    /** By the looking thread alone, and by tests. */
    void look() {
        if (known.isEmpty()) {
            return;
        }
        long nowStored = stored.changes();
        long nowFileMs = operators.modifiedMs();
        boolean all = nowStored != changes || nowFileMs != fileMs || ++looks >= LOOKS_A_READ;
        List.copyOf(all ? known.keySet() : unread).forEach(this::renew);
        if (all) {
            changes = nowStored;
            fileMs = nowFileMs;
            looks = 0;
        }
    }

    /** @throws StoreException when the store is away: it is for the others too */
    private void renew(String application) {
        boolean[] other = {false};
        try {
            known.computeIfPresent(application, (name, before) -> {
                ApplicationSecrets read = read(application, before);
                other[0] = read != before;
                return read;
            });
            unread.remove(application);
        } catch (RuntimeException e) {
            if (e instanceof StoreException store && store.kind() == StoreException.Kind.AWAY) {
                throw e;
            }
            if (unread.add(application)) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, application).setCause(e)
                        .log("secrets of application {} stay as they are: they cannot be read", application);
            }
        }
        if (other[0]) {
            changed.accept(application);
        }
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
