package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Step;
import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.ImageManifest.Index;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ProcessPlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of {@link ProcessImages}, under {@code i/<process>} in the scope of the process's chunks, and who may change them.
 *
 * <p>An owner begins each write and deletion with a <em>claim</em>: the row gets its epoch and a stamp of its own. From then on
 * no earlier owner can replace the row, nor delete a chunk: each deletion is in one transaction with a look at the version of the
 * row, which is that of a row that does not name what is deleted. So a chunk that is there after the claim stays, and may be named.
 * A process that was deleted keeps a row without an image, for an owner that is late: {@link ImageLeftovers} takes it away.
 */
final class ImageRows {
    static final String TABLE = "process-images";
    static final ScopeParts PARTS = new ScopeParts(16);
    private static final Logger LOG = LoggerFactory.getLogger(ImageRows.class);
    private static final String PREFIX = "i/";
    private static final Pattern PROCESS = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
    private static final int TRIES = 20;
    private static final int DELETIONS_AT_ONCE = 32;
    private static final int PAGE = 100;

    /** @param version 0: there is no row; @param image null: it says that there is none, or is damaged; @param place null: it was never moved; @param damage or null */
    record Row(String process, long version, ImageManifest image, ProcessPlace place, StoreException damage) {
        static Row none(String process) {
            return new Row(process, 0, null, null, null);
        }
    }

    /** What is done with a row whose index is read. */
    interface WithIndex<T> {
        T of(Row row, Index index);
    }

    private final GlobalStore store;

    ImageRows(GlobalStore store) {
        this.store = store;
    }

    /** @throws StoreException BROKEN */
    Row get(String scope, String process) {
        Row row = store.get(TABLE, scope, PREFIX + process).map(found -> row(process, found.version(), found.value())).orElse(Row.none(process));
        if (row.damage() != null) {
            throw row.damage();
        }
        return row;
    }

    long version(String scope, String process) {
        return store.version(TABLE, scope, PREFIX + process);
    }

    private static Row row(String process, long version, byte[] value) {
        try {
            return new Row(process, version, ImageManifest.decode(process, value), ImageManifest.place(process, value), null);
        } catch (StoreException e) {
            return new Row(process, version, null, null, e);
        }
    }

    /** @return null: there is no image, or none any more; @throws StoreException BROKEN */
    <T> T withIndex(String scope, Row first, WithIndex<T> use) {
        Row row = first;
        while (row.image() != null) {
            try {
                byte[] inline = row.image().index();
                byte[] index = inline != null ? inline
                        : new ImageChunks(store, scope, row.process()).together(row.image().indexChunks());
                return use.of(row, ImageManifest.decodeIndex(row.process(), index));
            } catch (StoreException e) {
                Row now = get(scope, row.process());
                if (e.kind() != Kind.BROKEN || now.version() == row.version()) {
                    throw e;
                }
                row = now; // replaced while it was read
            }
        }
        return null;
    }

    /** Rows of an application by process id: one a process that was ever written or deleted. */
    List<Row> list(String application, String after, int limit) {
        List<String> keys = PARTS.keys(store, TABLE, application, PREFIX, after == null ? null : PREFIX + after, limit);
        Map<String, Row> found = new HashMap<>();
        keys.stream().collect(Collectors.groupingBy(key -> scope(application, process(key)))).forEach((scope, in) -> {
            for (int from = 0; from < in.size(); from += PAGE) {
                store.getAll(TABLE, scope, in.subList(from, Math.min(in.size(), from + PAGE)))
                        .forEach(entry -> found.put(entry.key(), row(process(entry.key()), entry.version(), entry.value())));
            }
        });
        return keys.stream().map(key -> found.getOrDefault(key, Row.none(process(key)))).toList();
    }

    private static String process(String key) {
        return key.substring(PREFIX.length());
    }

    static boolean isId(String process) {
        return PROCESS.matcher(process).matches();
    }

    /** Where a process's row and chunks are. */
    static String scope(String application, String process) {
        if (!isId(process)) {
            throw new StoreException(Kind.BAD_VALUE, "no process has the id \"" + process + "\"", 0, null);
        }
        return PARTS.of(application, process);
    }

    /**
     * Begins a write or a deletion.
     *
     * @param keep the image that is there; otherwise the row says from here on that there is none
     * @param place of a process that was moved by hand, or null: what its fence begins with is in the row from its first one on
     * @return the row's version; 0: a later owner's claim is there
     */
    long claim(String scope, String process, ProcessPlace place, long epoch, boolean keep) {
        StoreException conflict = null;
        for (int tries = 0; tries < TRIES; tries++) {
            Optional<Versioned> row = store.get(TABLE, scope, PREFIX + process);
            UUID stamp = UUID.randomUUID();
            byte[] claim = row.isEmpty() ? ImageManifest.row(stamp, null, place) : keep ? ImageManifest.claimed(stamp, process, row.get().value())
                    : ImageManifest.row(stamp, null, ImageManifest.place(process, row.get().value()));
            try {
                if (!store.putFenced(TABLE, scope, PREFIX + process, claim, epoch, row.map(Versioned::version).orElse(GlobalStore.ABSENT))) {
                    return 0;
                }
            } catch (StoreException e) {
                conflict = mustBeConflict(e);
                continue;
            }
            Optional<Versioned> now = store.get(TABLE, scope, PREFIX + process);
            if (now.isPresent() && ImageManifest.isStamped(now.get().value(), stamp)) {
                return now.get().version();
            }
        }
        throw new StoreException(Kind.AWAY, "the row of process \"" + process + "\" is written to by others all the time", 0, conflict);
    }

    /** Replaces the row on which a claim was made. @return its new version; 0: somebody else has changed it */
    long commit(String scope, String process, ImageManifest image, ProcessPlace place, long claimed) {
        try {
            return store.put(TABLE, scope, PREFIX + process, ImageManifest.row(UUID.randomUUID(), image, place), claimed);
        } catch (StoreException e) {
            mustBeConflict(e);
            return 0;
        }
    }

    /**
     * The process lives elsewhere from now on, where its next owner finds all of it; earlier owners replace nothing any more. Can be
     * repeated. Nothing is done when it was moved on since, or deleted.
     *
     * @param fence of the owner that gives it away; @param number of its last change, which says so
     * @return false: a later owner of the same place has written
     */
    boolean move(String scope, String process, long fence, long number, ProcessPlace to) {
        StoreException conflict = null;
        for (int tries = 0; tries < TRIES; tries++) {
            Optional<Versioned> found = store.get(TABLE, scope, PREFIX + process);
            Row row = found.map(each -> row(process, each.version(), each.value())).orElse(Row.none(process));
            if (row.damage() != null) {
                throw row.damage();
            }
            if (row.image() == null || row.place() != null && row.place().moves() >= to.moves()) {
                return true;
            }
            if (row.image().epoch() > fence) {
                return false;
            }
            try {
                byte[] moved = ImageManifest.row(UUID.randomUUID(), row.image().at(number), to);
                store.putFenced(TABLE, scope, PREFIX + process, moved, to.fence(0), row.version()); // whether it was let through, the next look says
            } catch (StoreException e) {
                conflict = mustBeConflict(e);
            }
        }
        throw new StoreException(Kind.AWAY, "the row of process \"" + process + "\" is written to by others all the time", 0, conflict);
    }

    private static StoreException mustBeConflict(StoreException e) {
        if (e.kind() != Kind.CONFLICT) {
            throw e; // perhaps written
        }
        return e;
    }

    /** Deletes chunks that the row of this version does not name, as long as that is the row. @throws StoreException CONFLICT */
    void deleteUnnamed(String scope, String process, long version, List<String> chunks) {
        for (int from = 0; from < chunks.size(); from += DELETIONS_AT_ONCE) {
            List<Step> steps = new ArrayList<>(List.of(Step.check(PREFIX + process, version)));
            chunks.subList(from, Math.min(chunks.size(), from + DELETIONS_AT_ONCE))
                    .forEach(key -> steps.add(Step.delete(key, GlobalStore.ANY)));
            store.transact(TABLE, scope, steps);
        }
    }

    /** As above; what cannot be deleted now is garbage, not wrong, and the next write or deletion finds it. */
    void tryToDeleteUnnamed(String scope, String process, long version, List<String> chunks) {
        try {
            deleteUnnamed(scope, process, version, chunks);
        } catch (StoreException e) {
            LOG.info("chunks of an earlier image of process {} stay for now: {}", process, e.getMessage());
        }
    }

    /** @throws StoreException CONFLICT */
    void delete(String scope, String process, long version) {
        store.delete(TABLE, scope, PREFIX + process, version);
    }
}
