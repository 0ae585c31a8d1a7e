package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.ObjectManifest.Piece;
import dev.sand.datalayer.StoreException.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Large values in the global store, in pieces: written and read as streams or in ranges, never whole in memory. A write
 * becomes visible at once and whole, by the conditional write of its manifest; what it replaced is deleted afterwards. All
 * calls block. For outputs, bundles, and the {@code object/} namespace of grains.
 */
public final class ObjectStore {
    static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);
    /** One object. */
    public static final long MOST_BYTES = 1L << 30;
    private static final int MOST_TYPE_BYTES = 255;
    private static final int TRIES = 20;

    /** @param sha256 of the whole in hexadecimal, or null once it was written in part */
    public record Info(long version, String contentType, long size, String sha256) {}

    /** Writes an object's bytes. */
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private record Found(long version, ObjectManifest manifest) {}

    private final GlobalStore store;
    private final String table;
    private final ObjectPieces pieces;
    private final long mostBytes;

    /** @param table for the manifests; the pieces have another beside it */
    public ObjectStore(GlobalStore store, String table, long mostBytes) {
        this(store, table, mostBytes, Room.ENDLESS);
    }

    /** @param room for pieces; scopes are applications then */
    ObjectStore(GlobalStore store, String table, long mostBytes, Room room) {
        this.store = store;
        this.table = table;
        this.pieces = new ObjectPieces(store, pieces(table), room);
        this.mostBytes = mostBytes;
    }

    /** The table beside that of manifests. */
    static String pieces(String table) {
        return table + "-pieces";
    }

    public Optional<Info> info(String scope, String key) {
        return Optional.ofNullable(find(scope, key)).map(ObjectStore::info);
    }

    private static Info info(Found found) {
        ObjectManifest manifest = found.manifest();
        return new Info(found.version(), manifest.contentType(), manifest.size(),
                manifest.sha256() == null ? null : HexFormat.of().formatHex(manifest.sha256()));
    }

    /**
     * Writes a whole object.
     *
     * @param expected a version, {@link GlobalStore#ABSENT} or {@link GlobalStore#ANY}; @return the new version
     * @throws StoreException CONFLICT with the actual version, BAD_VALUE over the limit; @throws IOException the content's
     */
    public long put(String scope, String key, String contentType, Content content, long expected) throws IOException {
        checkType(contentType);
        if (expected != GlobalStore.ANY) {
            Found found = find(scope, key);
            Versions.next(key, found == null ? 0 : found.version(), 0, expected);
        }
        ObjectPieces.Writer writer = pieces.new Writer(scope, key, mostBytes);
        boolean done = false;
        try {
            content.writeTo(writer);
            ObjectManifest manifest = writer.manifest(contentType);
            long version = replace(scope, key, expected, manifest);
            done = true;
            return version;
        } finally {
            if (!done) {
                writer.abandon();
            }
        }
    }

    private long replace(String scope, String key, long expected, ObjectManifest manifest) {
        StoreException conflict = null;
        for (int tries = 0; tries < TRIES; tries++) {
            Found before = find(scope, key);
            long at = before == null ? GlobalStore.ABSENT : before.version();
            Versions.next(key, at, 0, expected);
            try {
                long version = store.put(table, scope, key, manifest.encode(), at);
                if (before != null) {
                    pieces.delete(scope, before.manifest().pieces());
                }
                return version;
            } catch (StoreException e) {
                conflict = mustBeConflict(e);
            }
        }
        throw conflict;
    }

    /** Writes part of an object, which grows when need be: what lies between is zeros. Absent, it is made. @return the new version */
    public long write(String scope, String key, String contentType, long offset, byte[] bytes, long expected) {
        checkType(contentType);
        if (offset < 0 || offset + bytes.length > mostBytes) {
            throw new StoreException(Kind.BAD_VALUE, "a write at " + offset + " of " + bytes.length + " bytes is not within the limit of "
                    + mostBytes + " bytes of an object", 0, null);
        }
        return change(scope, key, expected, before -> {
            ObjectManifest from = before == null ? ObjectManifest.empty(contentType) : before;
            long size = bytes.length == 0 ? from.size() : Math.max(from.size(), offset + bytes.length);
            List<Piece> changed = new ArrayList<>(from.pieces());
            while ((long) changed.size() * ObjectManifest.PIECE_BYTES < size) {
                changed.add(Piece.HOLE);
            }
            int first = (int) (offset / ObjectManifest.PIECE_BYTES);
            for (int i = first; (long) i * ObjectManifest.PIECE_BYTES < offset + bytes.length; i++) {
                changed.set(i, pieces.put(scope, overlay(scope, key, from, i, offset, bytes)));
            }
            return new ObjectManifest(from.contentType(), size, null, changed);
        });
    }

    /** Piece {@code i} as it was, with what falls into it laid over. */
    private byte[] overlay(String scope, String key, ObjectManifest from, int i, long offset, byte[] bytes) {
        long start = (long) i * ObjectManifest.PIECE_BYTES;
        int to = (int) Math.min(ObjectManifest.PIECE_BYTES, offset + bytes.length - start);
        int at = (int) Math.max(0, offset - start);
        boolean all = at == 0 && (to == ObjectManifest.PIECE_BYTES || start + to >= from.size());
        byte[] old = all || i >= from.pieces().size() ? new byte[0] : required(scope, key, from.pieces().get(i));
        byte[] piece = Arrays.copyOf(old, Math.max(old.length, to));
        System.arraycopy(bytes, (int) (start + at - offset), piece, at, to - at);
        return piece;
    }

    /** Cuts the object, or lets it grow by zeros. @return the new version */
    public long resize(String scope, String key, long size, long expected) {
        if (size < 0 || size > mostBytes) {
            throw new StoreException(Kind.BAD_VALUE, size + " bytes are not within the limit of " + mostBytes + " bytes of an object", 0, null);
        }
        return change(scope, key, expected, before -> {
            if (before == null) {
                throw new StoreException(Kind.BAD_VALUE, "there is no object \"" + key + "\"", 0, null);
            }
            int count = (int) ((size + ObjectManifest.PIECE_BYTES - 1) / ObjectManifest.PIECE_BYTES);
            List<Piece> changed = new ArrayList<>(before.pieces().subList(0, Math.min(count, before.pieces().size())));
            while (changed.size() < count) {
                changed.add(Piece.HOLE);
            }
            int inLast = (int) (size - (count - 1L) * ObjectManifest.PIECE_BYTES);
            if (size < before.size() && count > 0 && changed.getLast().id() != null) {
                // What is cut off must not come back when it grows again.
                byte[] last = required(scope, key, changed.getLast());
                changed.set(count - 1, pieces.put(scope, Arrays.copyOf(last, Math.min(last.length, inLast))));
            }
            return new ObjectManifest(before.contentType(), size, null, changed);
        });
    }

    private interface Change {
        /** @param before null: there is no object */
        ObjectManifest of(ObjectManifest before);
    }

    private long change(String scope, String key, long expected, Change change) {
        StoreException conflict = null;
        for (int tries = 0; tries < TRIES; tries++) {
            Found found = find(scope, key);
            long at = found == null ? GlobalStore.ABSENT : found.version();
            Versions.next(key, at, 0, expected);
            List<Piece> old = found == null ? List.of() : found.manifest().pieces();
            ObjectManifest manifest;
            try {
                manifest = change.of(found == null ? null : found.manifest());
            } catch (StoreException e) {
                conflict = mustBeConflict(e); // replaced while it was read
                continue;
            }
            try {
                long version = store.put(table, scope, key, manifest.encode(), at);
                pieces.delete(scope, old.stream().filter(piece -> !manifest.pieces().contains(piece)).toList());
                return version;
            } catch (StoreException e) {
                conflict = mustBeConflict(e);
                pieces.delete(scope, manifest.pieces().stream().filter(piece -> !old.contains(piece)).toList());
            }
        }
        throw conflict;
    }

    private static StoreException mustBeConflict(StoreException e) {
        if (e.kind() != Kind.CONFLICT) {
            throw e; // perhaps written: its pieces stay
        }
        return e;
    }

    /** Part of an object. @param info of the whole */
    public record Range(Info info, byte[] bytes) {}

    /**
     * The bytes from the offset on, at most {@code length}; none behind the end. Empty: there is no such object.
     *
     * @param expected a version, or {@link GlobalStore#ANY}; @throws StoreException CONFLICT when it is at another
     */
    public Optional<Range> read(String scope, String key, long offset, int length, long expected) {
        if (offset < 0 || length < 0) {
            throw new StoreException(Kind.BAD_VALUE, "no " + length + " bytes can be read at " + offset, 0, null);
        }
        for (int tries = 0;; tries++) {
            Found found = find(scope, key);
            if (found == null) {
                return Optional.empty();
            }
            Versions.next(key, found.version(), 0, expected);
            int count = (int) Math.clamp(found.manifest().size() - offset, 0, length);
            byte[] bytes = new byte[count];
            if (read(scope, key, found.manifest(), offset, bytes)) {
                return Optional.of(new Range(info(found), bytes));
            }
            if (tries == TRIES) {
                throw changing(key);
            }
        }
    }

    /** @return false when it was replaced meanwhile */
    private boolean read(String scope, String key, ObjectManifest manifest, long offset, byte[] into) {
        for (int done = 0; done < into.length;) {
            int i = (int) ((offset + done) / ObjectManifest.PIECE_BYTES);
            int at = (int) ((offset + done) % ObjectManifest.PIECE_BYTES);
            byte[] piece = pieces.get(scope, key, manifest.pieces().get(i));
            if (piece == null) {
                return false;
            }
            int count = Math.min(into.length - done, ObjectManifest.PIECE_BYTES - at);
            System.arraycopy(piece, Math.min(at, piece.length), into, done, Math.clamp((long) piece.length - at, 0, count));
            done += count;
        }
        return true;
    }

    /** Writes all of an object's bytes, a piece at a time. @throws StoreException CONFLICT when it is replaced meanwhile */
    public void transfer(String scope, String key, long version, OutputStream to) throws IOException {
        Found found = find(scope, key);
        if (found == null || found.version() != version) {
            throw changing(key);
        }
        for (int i = 0; i < found.manifest().pieces().size(); i++) {
            byte[] piece = pieces.get(scope, key, found.manifest().pieces().get(i));
            if (piece == null) {
                throw changing(key);
            }
            to.write(Arrays.copyOf(piece, found.manifest().length(i)));
        }
    }

    /** Gives it a new version, and changes nothing: a deletion of the old one fails then. @return false: there is none */
    public boolean touch(String scope, String key) {
        StoreException conflict = null;
        for (int tries = 0; tries < TRIES; tries++) {
            Found found = find(scope, key);
            if (found == null) {
                return false;
            }
            try {
                store.put(table, scope, key, found.manifest().encode(), found.version());
                return true;
            } catch (StoreException e) {
                conflict = mustBeConflict(e);
            }
        }
        throw conflict;
    }

    /** Keys of pieces that no object names: being written now, or left by a crash. */
    public Set<String> unnamed(String scope) {
        Set<String> unnamed = new HashSet<>(pieces.keys(scope)); // read first: what comes meanwhile is not among them
        if (unnamed.isEmpty()) {
            return unnamed;
        }
        for (String key : keys(scope, "", null, Integer.MAX_VALUE)) {
            Found found = find(scope, key);
            if (found != null) {
                found.manifest().pieces().stream().filter(piece -> piece.id() != null).map(Piece::key).forEach(unnamed::remove);
            }
        }
        return unnamed;
    }

    /** For pieces that no object has named for longer than any write takes. */
    public void deleteUnnamed(String scope, String piece) {
        pieces.delete(scope, piece);
    }

    /** @return whether there was one; @throws StoreException CONFLICT */
    public boolean delete(String scope, String key, long expected) {
        Found found = find(scope, key);
        Versions.next(key, found == null ? 0 : found.version(), 0, expected);
        if (found == null || !store.delete(table, scope, key, expected == GlobalStore.ANY ? GlobalStore.ANY : found.version())) {
            return false;
        }
        pieces.delete(scope, found.manifest().pieces());
        return true;
    }

    /** As {@link GlobalStore#keys}. */
    public List<String> keys(String scope, String prefix, String after, int limit) {
        return store.keys(table, scope, prefix, after, limit);
    }

    public void deleteScope(String scope) {
        store.deleteScope(table, scope);
        pieces.deleteScope(scope);
    }

    private Found find(String scope, String key) {
        Optional<Versioned> found = store.get(table, scope, key);
        return found.map(at -> new Found(at.version(), ObjectManifest.decode(key, at.value()))).orElse(null);
    }

    private byte[] required(String scope, String key, Piece piece) {
        byte[] bytes = pieces.get(scope, key, piece);
        if (bytes == null) {
            throw changing(key);
        }
        return bytes;
    }

    private static StoreException changing(String key) {
        return new StoreException(Kind.CONFLICT, "object \"" + key + "\" was replaced while it was read; read it again", 0, null);
    }

    private static void checkType(String contentType) {
        if (contentType.length() > MOST_TYPE_BYTES) {
            throw new StoreException(Kind.BAD_VALUE, "a content type of " + contentType.length() + " characters is over the limit of "
                    + MOST_TYPE_BYTES, 0, null);
        }
    }
}
