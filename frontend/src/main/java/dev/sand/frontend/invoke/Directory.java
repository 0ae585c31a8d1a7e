package dev.sand.frontend.invoke;

import dev.sand.datalayer.LatelyRead;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.http.Problems;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The registry as the data plane reads it: what a request names, found in memory without blocking. Versions never change. What an
 * alias names is read again, in the background, once it is half as old as it may be; who finds an older one waits for that read. So
 * a change is seen by every request that begins {@link #MOST_AGE} after it, at any frontend: whoever makes one waits for that long
 * before it is answered ({@link #awaitSeen}). The exception is a store that does not answer: invocations go on as they were.
 */
public final class Directory {
    /** What an alias names was read at most so long ago, by the reading frontend's own clock. */
    static final Duration MOST_AGE = LatelyRead.MOST_AGE;
    /** More than frontends' clocks may differ in pace, and than a request takes from its arrival to its look. */
    private static final Duration SLACK = Duration.ofMillis(100);

    private record Key(String application, String qualifier) {
        @Override
        public String toString() {
            return application + '@' + qualifier;
        }
    }

    private final Registry registry;
    private final boolean alone;
    private final LatelyRead<Key, ApplicationVersion> versions;

    /** @param alone no other frontend serves these applications */
    public Directory(Registry registry, Executor background, boolean alone) {
        this(registry, background, alone, System::nanoTime);
    }

    Directory(Registry registry, Executor background, boolean alone, LongSupplier clockNs) {
        this.registry = registry;
        this.alone = alone;
        this.versions = new LatelyRead<>(this::find, key -> isNumber(key.qualifier), background, clockNs);
    }

    private static Key key(String application, String qualifier) {
        return new Key(application, qualifier == null ? Registry.LIVE : qualifier);
    }

    /** @param qualifier alias or version, or null for {@link Registry#LIVE}; @return null when it must be loaded first */
    ApplicationVersion known(String application, String qualifier) {
        return Names.isSystem(application) ? null : versions.known(key(application, qualifier));
    }

    /** Of the platform's own application, which no caller can name. Blocks when it must be loaded first. @throws dev.sand.frontend.http.ProblemException as load */
    public ApplicationVersion ofSystem(String qualifier) {
        ApplicationVersion found = versions.known(key(Names.MANAGEMENT, qualifier));
        return found == null ? read(key(Names.MANAGEMENT, qualifier)) : found;
    }

    /** Blocks. @throws dev.sand.frontend.http.ProblemException when there is no such application, alias or version */
    public ApplicationVersion load(String application, String qualifier) {
        if (Names.isSystem(application)) {
            throw Problems.unknownApplication(application).asException();
        }
        return read(key(application, qualifier));
    }

    private ApplicationVersion read(Key key) {
        return versions.load(key).orElseThrow(() -> (!registry.exists(key.application)
                ? Problems.unknownApplication(key.application) : Problems.unknownVersion(key.application, key.qualifier)).asException());
    }

    /** Blocks until what was changed before is what every frontend serves. */
    public void awaitSeen() {
        if (alone) {
            return;
        }
        try {
            Thread.sleep(MOST_AGE.plus(SLACK));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The application has changed. */
    public void forget(String application) {
        versions.forget(key -> key.application.equals(application));
    }

    /** Where there is none, the application may be gone, and with it the versions that never change. */
    private Optional<ApplicationVersion> find(Key key) {
        boolean isName = (Names.isApplication(key.application) || Names.isSystem(key.application))
                && (isNumber(key.qualifier) || Names.isGrain(key.qualifier));
        Optional<ApplicationVersion> found = isName ? registry.resolveNow(key.application, key.qualifier) : Optional.empty();
        if (found.isEmpty()) {
            forget(key.application);
        }
        return found;
    }

    /** An alias starts with a letter, so that the two are never mistaken for each other. */
    private static boolean isNumber(String qualifier) {
        return !qualifier.isEmpty() && qualifier.length() <= 9 && qualifier.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
