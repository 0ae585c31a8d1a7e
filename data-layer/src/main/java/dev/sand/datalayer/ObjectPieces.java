package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Versioned;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.ObjectManifest.Piece;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Digests;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Where the pieces of objects are: each is written once, under a drawn id, and checked against its hash when it is read. */
final class ObjectPieces {
    private static final int PIECES_A_WRITE = 8;
    private static final int DELETIONS_A_WRITE = 64;

    private final GlobalStore store;
    private final String table;
    private final Room room;

    ObjectPieces(GlobalStore store, String table) {
        this(store, table, Room.ENDLESS);
    }

    ObjectPieces(GlobalStore store, String table, Room room) {
        this.store = store;
        this.table = table;
        this.room = room;
    }

    /** Cuts what is written into pieces and stores them, a few at a time; {@link #abandon} takes back what was stored. */
    final class Writer extends OutputStream {
        private final String scope;
        private final String key;
        private final long mostBytes;
        private final MessageDigest whole = Digests.sha256();
        private final List<Piece> pieces = new ArrayList<>();
        private final List<Write> waiting = new ArrayList<>();
        private byte[] piece = new byte[8192];
        private int filled;
        private long size;

        /** @param key of the object, for messages */
        Writer(String scope, String key, long mostBytes) {
            this.scope = scope;
            this.key = key;
            this.mostBytes = mostBytes;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (size + length > mostBytes) {
                throw new StoreException(Kind.BAD_VALUE, "object \"" + key + "\" has more than " + mostBytes + " bytes", 0, null);
            }
            size += length;
            whole.update(bytes, offset, length);
            for (int at = offset, left = length; left > 0;) {
                int count = Math.min(left, ObjectManifest.PIECE_BYTES - filled);
                if (filled + count > piece.length) {
                    piece = Arrays.copyOf(piece, Math.min(ObjectManifest.PIECE_BYTES, Math.max(filled + count, 4 * piece.length)));
                }
                System.arraycopy(bytes, at, piece, filled, count);
                filled += count;
                at += count;
                left -= count;
                if (filled == ObjectManifest.PIECE_BYTES) {
                    next();
                }
            }
        }

        private void next() {
            byte[] value = filled == piece.length ? piece : Arrays.copyOf(piece, filled);
            Piece made = piece(value);
            pieces.add(made);
            waiting.add(new Write(table, scope, made.key(), value));
            if (waiting.size() == PIECES_A_WRITE) {
                store();
            }
            piece = new byte[ObjectManifest.PIECE_BYTES];
            filled = 0;
        }

        private void store() {
            room.take(scope, waiting.stream().mapToLong(write -> write.value().length).sum());
            store.writeAll(waiting);
            waiting.clear();
        }

        /** All of it is stored. */
        ObjectManifest manifest(String contentType) {
            if (filled > 0) {
                next();
            }
            store();
            return new ObjectManifest(contentType, size, whole.digest(), List.copyOf(pieces));
        }

        void abandon() {
            delete(scope, pieces);
        }
    }

    Piece put(String scope, byte[] value) {
        Piece piece = piece(value);
        room.take(scope, value.length);
        store.put(table, scope, piece.key(), value, GlobalStore.ABSENT);
        return piece;
    }

    private static Piece piece(byte[] value) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Piece(new UUID(random.nextLong(), random.nextLong()), Digests.sha256(value));
    }

    /** @return the piece's bytes, perhaps fewer than it has room for; null when it is not there (any more) */
    byte[] get(String scope, String key, Piece piece) {
        if (piece.id() == null) {
            return new byte[0];
        }
        byte[] value = store.get(table, scope, piece.key()).map(Versioned::value).orElse(null);
        if (value != null && !MessageDigest.isEqual(Digests.sha256(value), piece.sha256())) {
            throw new StoreException(Kind.BROKEN, "object \"" + key + "\" is damaged: a piece does not have the hash that was written"
                    + " with it", 0, null);
        }
        return value;
    }

    /** Pieces that stay by accident are garbage, not wrong: that they cannot be deleted now is nobody's failure. */
    void delete(String scope, List<Piece> pieces) {
        List<Write> deletions = new ArrayList<>();
        pieces.stream().filter(piece -> piece.id() != null)
                .forEach(piece -> deletions.add(new Write(table, scope, piece.key(), null)));
        try {
            for (int from = 0; from < deletions.size(); from += DELETIONS_A_WRITE) {
                store.writeAll(deletions.subList(from, Math.min(deletions.size(), from + DELETIONS_A_WRITE)));
            }
        } catch (StoreException e) {
            ObjectStore.LOG.warn("{} pieces of replaced objects of {} stay: {}", deletions.size(), scope, e.getMessage());
        }
    }

    List<String> keys(String scope) {
        return store.keys(table, scope, "", null, Integer.MAX_VALUE);
    }

    void delete(String scope, String key) {
        store.delete(table, scope, key, GlobalStore.ANY);
    }

    void deleteScope(String scope) {
        store.deleteScope(table, scope);
    }
}
