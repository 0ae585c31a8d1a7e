package dev.sand.standalone;

import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.hostagent.ApplicationSecrets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
    private long changes = -1;
    private int looks;

    HostSecrets(OperatorsSecrets operators, StoredSecrets stored) {
        this.operators = operators;
        this.stored = stored;
    }

    /** From memory, from any thread. */
    ApplicationSecrets of(String application) {
        return known.getOrDefault(application, ApplicationSecrets.NONE);
    }

    /** Before a version of it runs here that names some. Blocks. @throws StoreException when it is not known yet, and cannot be read now */
    void load(String application) {
        known.compute(application, (name, before) -> {
            try {
                return read(application);
            } catch (StoreException e) {
                if (before == null) {
                    throw e;
                }
                return before;
            }
        });
    }

    void forget(String application) {
        known.remove(application);
    }

    private ApplicationSecrets read(String application) {
        StoredSecrets.Opened opened = stored.open(application);
        Map<String, String> values = new HashMap<>(opened.values());
        values.putAll(operators.of(application));
        Map<String, String> unopened = new HashMap<>(opened.unopened());
        unopened.keySet().removeAll(values.keySet());
        return new ApplicationSecrets(Map.copyOf(values), Map.copyOf(unopened));
    }

    /** @param changed told of each application whose secrets are others from now on */
    void start(Consumer<String> changed) {
        looking.scheduleWithFixedDelay(() -> {
            try {
                look(changed);
            } catch (RuntimeException e) {
                LOG.debug("secrets stay as they are: they cannot be read now", e);
            }
        }, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** By the looking thread alone, and by tests. */
    void look(Consumer<String> changed) {
        if (known.isEmpty()) {
            return;
        }
        long now = stored.changes();
        boolean again = now != changes || ++looks >= LOOKS_A_READ || operators.hasChanged();
        if (!again) {
            return;
        }
        for (String application : known.keySet()) {
            boolean[] other = {false};
            known.computeIfPresent(application, (name, before) -> {
                ApplicationSecrets read = read(application);
                other[0] = !read.equals(before);
                return read;
            });
            if (other[0]) {
                changed.accept(application);
            }
        }
        changes = now;
        looks = 0;
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
