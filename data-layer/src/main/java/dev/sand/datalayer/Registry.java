package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Codec;
import dev.sand.event.Limits;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Which applications there are, their versions and aliases (DESIGN, decision 12: versions are immutable, an alias moves).
 * Calls block, but for names seen lately: versions are kept in memory, aliases for {@link #ALIAS_AGE_NS}, so that another
 * process's change is seen soon and a request costs no read.
 */
public final class Registry {
    /** The alias that a call without a version means. */
    public static final String LIVE = "live";
    static final long ALIAS_AGE_NS = 1_000_000_000L;
    private static final int MAX_REMEMBERED = 2000;
    private static final String TABLE = "applications";
    private static final String INDEX = "index";
    private static final String PLATFORM = "platform";
    private static final String VERSION = "version/";
    private static final String ALIAS = "alias/";
    private static final String APPLICATION = "application/";
    private static final String NUMBERS = "versions/";
    private static final String DELETIONS = "deletions/";
    private static final String ENDED = "ended/";
    private static final String RESOLVED = "resolved/";
    private static final String DESCRIPTION = "description/";

    private record Name(String application, String alias) {}

    private record Number(String application, int version) {}

    private record Alias(int version) {}

    private record Ended(short schema, int version) {}

    /** @param requirements as they were installed, such as {@code numpy==2.3.1} */
    private record Resolved(short schema, List<String> requirements) {}

    private record Description(short schema, String text) {}

    /**
     * What became of an application's name. Kept for good, as the numbers of its versions are.
     *
     * @param begun how many deletions were begun
     * @param underWay the last of them has not ended: some of what was the application's may still be there
     */
    public record Deletions(short schema, long begun, boolean underWay) {
        static final Deletions NONE = new Deletions(Limits.SCHEMA_VERSION, 0, false);
    }

    private record SeenAlias(Optional<Integer> version, long seenNs) {}

    private final GlobalStore store;
    private final LongSupplier clockNs;
    private final Map<Number, ApplicationVersion> versions = new ConcurrentHashMap<>();
    private final Map<Name, SeenAlias> aliases = new ConcurrentHashMap<>();

    public Registry(GlobalStore store) {
        this(store, System::nanoTime);
    }

    Registry(GlobalStore store, LongSupplier clockNs) {
        this.store = store;
        this.clockNs = clockNs;
    }

    /** Stores version N+1, made by the caller from its number. A number is never used twice, also not after a deletion. */
    public ApplicationVersion publish(String application, IntFunction<ApplicationVersion> make) {
        int number = Math.toIntExact(store.add(INDEX, PLATFORM, NUMBERS + application, 1));
        ApplicationVersion version = make.apply(number);
        if (version.version() != number || !version.application().equals(application)) {
            throw new IllegalArgumentException("not version " + number + " of " + application + ": " + version.version() + " of "
                    + version.application());
        }
        store.put(TABLE, application, versionKey(number), Codec.encode(version), GlobalStore.ABSENT);
        store.put(INDEX, PLATFORM, APPLICATION + application, Codec.encode(Map.of()), GlobalStore.ANY);
        return version;
    }

    public Optional<ApplicationVersion> version(String application, int number) {
        ApplicationVersion known = versions.get(new Number(application, number));
        if (known != null || number < 1) {
            return Optional.ofNullable(known);
        }
        Optional<ApplicationVersion> found = store.get(TABLE, application, versionKey(number)).map(v -> decode(v.value()));
        found.ifPresent(version -> {
            forgetIfMany(versions);
            versions.put(new Number(application, number), version);
        });
        return found;
    }

    /** What the build of a version has installed for it. */
    public void keepResolved(String application, int number, List<String> requirements) {
        store.put(TABLE, application, resolvedKey(number), Codec.encode(new Resolved(Limits.SCHEMA_VERSION, requirements)), GlobalStore.ANY);
    }

    /** @return empty: nothing is known of it, as of a version that was deployed before this was kept */
    public Optional<List<String>> resolved(String application, int number) {
        return store.get(TABLE, application, resolvedKey(number)).map(kept -> Codec.decode(kept.value(), Resolved.class).requirements());
    }

    /** What the version says that it is for, in its author's words. Beside it: an older platform reads versions too, and no field that it does not know. */
    public void keepDescription(String application, int number, String text) {
        store.put(TABLE, application, DESCRIPTION + number, Codec.encode(new Description(Limits.SCHEMA_VERSION, text)), GlobalStore.ANY);
    }

    /** @return empty: it says nothing, or was deployed before this was kept */
    public Optional<String> description(String application, int number) {
        return store.get(TABLE, application, DESCRIPTION + number).map(kept -> Codec.decode(kept.value(), Description.class).text());
    }

    /** Ascending. */
    public List<Integer> versions(String application) {
        return store.keys(TABLE, application, VERSION, null, Integer.MAX_VALUE).stream()
                .map(key -> Integer.parseInt(key.substring(VERSION.length()))).toList();
    }

    public Optional<Integer> latest(String application) {
        return store.scanDescending(TABLE, application, VERSION, null, 1).stream()
                .map(entry -> Integer.parseInt(entry.key().substring(VERSION.length()))).findFirst();
    }

    /** @param qualifier an alias or a version number; null: {@link #LIVE} */
    public Optional<ApplicationVersion> resolve(String application, String qualifier) {
        String name = qualifier == null ? LIVE : qualifier;
        Optional<Integer> number = isNumber(name) ? Optional.of(Integer.parseInt(name)) : alias(application, name);
        return number.flatMap(n -> version(application, n));
    }

    /** As resolve, without what was seen lately: whatever was moved before this call counts. Blocks. */
    public Optional<ApplicationVersion> resolveNow(String application, String qualifier) {
        return (isNumber(qualifier) ? Optional.of(Integer.parseInt(qualifier)) : readAlias(application, qualifier))
                .flatMap(n -> version(application, n));
    }

    private Optional<Integer> readAlias(String application, String alias) {
        return store.get(TABLE, application, ALIAS + alias).map(found -> Codec.decode(found.value(), Alias.class).version());
    }

    public Optional<Integer> alias(String application, String alias) {
        Name name = new Name(application, alias);
        SeenAlias seen = aliases.get(name);
        long now = clockNs.getAsLong();
        if (seen != null && now - seen.seenNs() < ALIAS_AGE_NS) {
            return seen.version();
        }
        Optional<Integer> version = readAlias(application, alias);
        forgetIfMany(aliases);
        aliases.put(name, new SeenAlias(version, now));
        return version;
    }

    /** By name. */
    public Map<String, Integer> aliases(String application) {
        Map<String, Integer> found = new TreeMap<>();
        store.scan(TABLE, application, ALIAS, null, Integer.MAX_VALUE).forEach(entry ->
                found.put(entry.key().substring(ALIAS.length()), Codec.decode(entry.value(), Alias.class).version()));
        return found;
    }

    /**
     * Moves the alias.
     *
     * @return the version that it named before, 0: none
     * @throws StoreException BAD_VALUE when there is no such version, or the name looks like a version
     */
    public int setAlias(String application, String alias, int version) {
        return moveAlias(application, alias, version, _ -> false);
    }

    /**
     * Moves the alias to a version that was just deployed, unless it names a later one already: of two that are deployed at
     * once, by whichever frontends, the later one counts in the end. As setAlias.
     */
    public int advanceAlias(String application, String alias, int version) {
        return moveAlias(application, alias, version, before -> before > version);
    }

    /**
     * Moves the alias if it names the version given still: of two that made something of it at once, the first counts. As setAlias.
     *
     * @return {@code from}; else nothing was moved
     */
    public int replaceAlias(String application, String alias, int from, int version) {
        return moveAlias(application, alias, version, before -> before != from);
    }

    /** @param stays where it is, by the version that it names */
    private int moveAlias(String application, String alias, int version, IntPredicate stays) {
        if (isNumber(alias)) {
            throw new StoreException(Kind.BAD_VALUE, "an alias must not be a number: " + alias, 0, null);
        }
        if (version(application, version).isEmpty()) {
            throw new StoreException(Kind.BAD_VALUE, application + " has no version " + version, 0, null);
        }
        while (true) {
            Optional<Versioned> found = store.get(TABLE, application, ALIAS + alias);
            int before = found.map(entry -> Codec.decode(entry.value(), Alias.class).version()).orElse(0);
            aliases.remove(new Name(application, alias));
            if (stays.test(before)) {
                return before;
            }
            try {
                store.put(TABLE, application, ALIAS + alias, Codec.encode(new Alias(version)),
                        found.map(Versioned::version).orElse(GlobalStore.ABSENT));
                aliases.remove(new Name(application, alias));
                return before;
            } catch (StoreException e) {
                if (e.kind() != Kind.CONFLICT) {
                    throw e;
                }
            }
        }
    }

    public boolean deleteAlias(String application, String alias) {
        boolean deleted = store.delete(TABLE, application, ALIAS + alias, GlobalStore.ANY);
        aliases.remove(new Name(application, alias));
        return deleted;
    }

    /** @throws StoreException CONFLICT when an alias still names it */
    public boolean deleteVersion(String application, int number) {
        aliases(application).forEach((alias, version) -> {
            if (version == number) {
                throw new StoreException(Kind.CONFLICT, "version " + number + " of " + application + " is what the alias "
                        + alias + " names: move that first", number, null);
            }
        });
        boolean deleted = store.delete(TABLE, application, versionKey(number), GlobalStore.ANY);
        store.delete(TABLE, application, resolvedKey(number), GlobalStore.ANY);
        store.delete(TABLE, application, DESCRIPTION + number, GlobalStore.ANY);
        versions.remove(new Number(application, number));
        return deleted;
    }

    public List<String> applications() {
        return store.keys(INDEX, PLATFORM, APPLICATION, null, Integer.MAX_VALUE).stream()
                .map(key -> key.substring(APPLICATION.length())).toList();
    }

    /** Those that are there no more, each with a number that is another one when it has been deployed again. */
    public Map<String, Long> deleted() {
        Map<String, Long> deleted = new TreeMap<>();
        for (String key : store.keys(INDEX, PLATFORM, NUMBERS, null, Integer.MAX_VALUE)) {
            String application = key.substring(NUMBERS.length());
            if (!exists(application)) {
                deleted.put(application, store.version(INDEX, PLATFORM, key));
            }
        }
        return deleted;
    }

    /** Of the bundles and requirements that some version of some application has. */
    public Set<String> contentAddresses() {
        Set<String> found = new HashSet<>();
        for (String application : applications()) {
            for (int number : versions(application)) {
                version(application, number).ifPresent(version -> {
                    found.add(version.bundle());
                    if (version.dependencies() != null) {
                        found.add(version.dependencies());
                    }
                });
            }
        }
        return found;
    }

    public boolean exists(String application) {
        return store.get(INDEX, PLATFORM, APPLICATION + application).isPresent();
    }

    /**
     * It is deleted, by whomever: nothing of it that was remembered here counts any more. Blocks.
     *
     * @return the number of the last version under that name, 0: it has never had one; whatever is deployed later has higher ones
     */
    public int forget(String application) {
        forgetSeen(application);
        return store.get(INDEX, PLATFORM, NUMBERS + application)
                .map(found -> Integer.parseInt(new String(found.value(), StandardCharsets.US_ASCII))).orElse(0);
    }

    /**
     * As forget, and notes the number for good: what was given for one of these versions is not good for a later application of the name.
     * Once none of them can be found any more, and before hosts are told. Blocks.
     */
    public int endVersions(String application) {
        int last = forget(application);
        store.put(INDEX, PLATFORM, ENDED + application, Codec.encode(new Ended(Limits.SCHEMA_VERSION, last)), GlobalStore.ANY);
        return last;
    }

    /** The last version of the applications of that name that were deleted; 0: none was. Blocks. */
    public int deletedUpTo(String application) {
        return store.get(INDEX, PLATFORM, ENDED + application).map(found -> Codec.decode(found.value(), Ended.class).version()).orElse(0);
    }

    private void forgetSeen(String application) {
        versions.keySet().removeIf(number -> number.application().equals(application));
        aliases.keySet().removeIf(name -> name.application().equals(application));
    }

    /** Removes its versions and aliases; its data, records and logs are others' to remove. */
    public boolean deleteApplication(String application) {
        store.deleteScope(TABLE, application);
        forgetSeen(application);
        return store.delete(INDEX, PLATFORM, APPLICATION + application, GlobalStore.ANY);
    }

    /** Any frontend may ask: what it deploys while another deletes would lose topics and data. */
    public Deletions deletions(String application) {
        return store.get(INDEX, PLATFORM, DELETIONS + application).map(found -> Codec.decode(found.value(), Deletions.class))
                .orElse(Deletions.NONE);
    }

    /** Before anything of it is removed, so that a deletion that is cut short is known. @return its number, for {@link #endDeletion} */
    public long beginDeletion(String application) {
        return changeDeletions(application, now -> new Deletions(Limits.SCHEMA_VERSION, now.begun + 1, true)).begun;
    }

    /** By application, the number of the last one of those that have not ended. */
    public Map<String, Long> deletionsUnderWay() {
        Map<String, Long> found = new TreeMap<>();
        store.scan(INDEX, PLATFORM, DELETIONS, null, Integer.MAX_VALUE).forEach(entry -> {
            Deletions deletions = Codec.decode(entry.value(), Deletions.class);
            if (deletions.underWay) {
                found.put(entry.key().substring(DELETIONS.length()), deletions.begun);
            }
        });
        return found;
    }

    /** As beginDeletion, of one that was cut short: what was deployed since it ended stays. @return 0: it has ended */
    public long resumeDeletion(String application) {
        Deletions now = changeDeletions(application, found -> found.underWay
                ? new Deletions(Limits.SCHEMA_VERSION, found.begun + 1, true) : found);
        return now.underWay ? now.begun : 0;
    }

    /** All of it is gone, unless somebody began again to delete it. */
    public void endDeletion(String application, long deletion) {
        changeDeletions(application, now -> now.begun == deletion ? new Deletions(Limits.SCHEMA_VERSION, deletion, false) : now);
    }

    private Deletions changeDeletions(String application, UnaryOperator<Deletions> change) {
        while (true) {
            Optional<Versioned> found = store.get(INDEX, PLATFORM, DELETIONS + application);
            Deletions wanted = change.apply(found.map(entry -> Codec.decode(entry.value(), Deletions.class))
                    .orElse(Deletions.NONE));
            try {
                store.put(INDEX, PLATFORM, DELETIONS + application, Codec.encode(wanted),
                        found.map(Versioned::version).orElse(GlobalStore.ABSENT));
                return wanted;
            } catch (StoreException e) {
                if (e.kind() != Kind.CONFLICT) {
                    throw e;
                }
            }
        }
    }

    /** Takes back what was published while its application was deleted, with the aliases that name it. */
    public void withdraw(String application, int number) {
        aliases(application).forEach((alias, version) -> {
            if (version == number) {
                deleteAlias(application, alias);
            }
        });
        deleteVersion(application, number);
    }

    private static ApplicationVersion decode(byte[] value) {
        ApplicationVersion version = Codec.decode(value, ApplicationVersion.class);
        if (version.schema() > Limits.SCHEMA_VERSION) {
            throw new StoreException(Kind.BROKEN, "version " + version.version() + " of " + version.application()
                    + " has schema " + version.schema() + ", newer than this platform understands", 0, null);
        }
        return version;
    }

    private static String versionKey(int number) {
        return String.format("%s%08d", VERSION, number);
    }

    private static String resolvedKey(int number) {
        return RESOLVED + number;
    }

    private static boolean isNumber(String name) {
        return name.length() <= 9 && !name.isEmpty() && name.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** A bound, not a cache policy: there are few applications on a host, and a forgotten one is read again. */
    private static void forgetIfMany(Map<?, ?> remembered) {
        if (remembered.size() >= MAX_REMEMBERED) {
            remembered.clear();
        }
    }
}
