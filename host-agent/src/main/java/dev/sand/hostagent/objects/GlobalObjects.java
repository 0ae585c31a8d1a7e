package dev.sand.hostagent.objects;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.StoreException;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import dev.sand.event.Payload;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;

/**
 * Large values of executions in the global data layer (SAND 4.3): table {@code objects}, scope the application, under names
 * that begin with the execution's id. In pieces, so that nobody holds a whole one; the description is written last, so that a
 * value is there whole or not at all. Pieces have names that follow from the execution's, and not drawn ones as those of
 * {@code ObjectStore} do: what a host leaves half copied when it dies is found, and goes, with the execution. All calls block and
 * are made off the shards.
 */
public class GlobalObjects {
    private static final String TABLE = "objects";
    private static final int PIECE_BYTES = 512 * 1024;
    /** Each write is a transaction, for which the disk is waited. */
    private static final int PIECES_A_WRITE = 8;
    /** Of a value that is stored from where it lies: a row fewer for each, and nobody holds one but who reads it. */
    private static final int LENT_BYTES = 4 << 20;
    private static final int LENT_A_WRITE = 2;
    private static final short SCHEMA = 1;
    /** With a CRC-32C instead of a SHA-256. */
    private static final short SUMMED = 2;
    /** With a CRC-32: where the value is one piece the store has the same of it, and it is reckoned once. */
    private static final short LENT = 3;
    private static final String DESCRIPTION = "/d";

    /** A value as a record's flag has it: the paper's metadata. */
    public record Stored(String name, long size, String sha256) {}

    /** @param sha256 of schema 1, {@code crc32c} of schema 2, {@code crc32} of schema 3 */
    private record Description(short schema, long size, String sha256, int pieces, String crc32c, String crc32) {
        PassingSum sum() {
            return switch (schema) {
                case SUMMED -> PassingSum.crc32c();
                case LENT -> PassingSum.crc32();
                default -> PassingSum.sha256();
            };
        }

        boolean isOf(long bytes, String sum) {
            return size == bytes && sum.equals(switch (schema) {
                case SUMMED -> crc32c;
                case LENT -> crc32;
                default -> sha256;
            });
        }
    }

    /** Writes a value's bytes in order. */
    @FunctionalInterface
    public interface Source {
        void writeTo(OutputStream to) throws IOException;
    }

    /** An object is not there, or not as it was stored: that does not pass, unlike what a host has no room for. */
    public static final class DamagedException extends StoreException {
        private static final long serialVersionUID = 1L;

        private DamagedException(String message) {
            super(Kind.BAD_VALUE, message, 0, null);
        }
    }

    private final GlobalStore store;

    public GlobalObjects(GlobalStore store) {
        this.store = store;
    }

    /** Whether the reference names an object here, and not a segment of this host. */
    public static boolean isGlobal(Payload payload) {
        return payload != null && payload.reference() != null && isGlobal(payload.reference());
    }

    public static boolean isGlobal(Payload.Reference reference) {
        return reference.object().indexOf('/') > 0;
    }

    /** @param object unique within the execution */
    public static String name(String executionId, String object) {
        return executionId + "/" + object;
    }

    /** What a value will be stored as: read once, before the copy begins (SAND 4.3's flag has it). */
    public static Stored describe(String name, long size, Source source) throws IOException {
        PassingSum hash = PassingSum.sha256();
        source.writeTo(hash.before(OutputStream.nullOutputStream()));
        return new Stored(name, size, hash.hex());
    }

    /** @throws StoreException when it is not stored, with kind BAD_VALUE when it is not what was described */
    public void put(String application, Stored stored, Source source) throws IOException {
        PassingSum hash = PassingSum.sha256();
        Pieces pieces = written(application, stored.name(), stored.size(), hash, source);
        String sha256 = hash.hex();
        if (!sha256.equals(stored.sha256())) {
            throw changed(stored.name());
        }
        pieces.end(SCHEMA, sha256, null);
    }

    /** The same of a value that nobody has described: it is read once, and hashed where others may read it that know no other sum. */
    public void put(String application, String name, long size, Source source) throws IOException {
        boolean isSummed = store.isOfOneProgram();
        PassingSum sum = isSummed ? PassingSum.crc32c() : PassingSum.sha256();
        Pieces pieces = written(application, name, size, sum, source);
        if (isSummed) {
            pieces.end(SUMMED, null, sum.hex());
        } else {
            pieces.end(SCHEMA, sum.hex(), null);
        }
    }

    /** Whether a value can be stored from the memory where it is. */
    boolean takesMemory() {
        return store.isOfOneProgram();
    }

    /** The same of a value that lies in memory, and stays as it is meanwhile; where {@link #takesMemory}. */
    void put(String application, String name, ByteBuffer value) {
        CRC32 sum = new CRC32();
        sum.update(value.duplicate());
        int crc = (int) sum.getValue();
        int size = value.remaining();
        List<GlobalStore.Lent> waiting = new ArrayList<>();
        int count = 0;
        for (int at = 0; at < size; at += LENT_BYTES) {
            if (waiting.size() == LENT_A_WRITE) {
                store.writeAll(waiting, List.of());
                waiting.clear();
            }
            ByteBuffer piece = value.slice(value.position() + at, Math.min(LENT_BYTES, size - at));
            Integer known = piece.remaining() == size ? crc : null;
            waiting.add(new GlobalStore.Lent(TABLE, application, piece(name, count++), piece, known));
        }
        Description description = new Description(LENT, size, null, count, null, HexFormat.of().toHexDigits(crc));
        store.writeAll(waiting, List.of(new GlobalStore.Write(TABLE, application, name + DESCRIPTION, Codec.encode(description))));
    }

    private Pieces written(String application, String name, long size, PassingSum sum, Source source) throws IOException {
        Pieces pieces = new Pieces(application, name, size);
        source.writeTo(sum.before(pieces));
        if (pieces.size + pieces.filled != size) {
            throw changed(name);
        }
        return pieces;
    }

    /** Whether the value is there, whole, with that size and hash: its bytes are read. */
    public boolean matches(String application, Stored stored) {
        try {
            Optional<Description> description = description(application, stored.name());
            if (description.isEmpty() || description.get().size() != stored.size()
                    || description.get().sha256() != null && !description.get().sha256().equals(stored.sha256())) {
                return false;
            }
            PassingSum hash = PassingSum.sha256();
            read(application, stored.name(), hash.before(OutputStream.nullOutputStream()));
            return hash.hex().equals(stored.sha256());
        } catch (IOException e) {
            return false;
        } catch (StoreException e) {
            if (e.kind() == Kind.BAD_VALUE) {
                return false;
            }
            throw e;
        }
    }

    /** @throws StoreException with kind BAD_VALUE when it is not there, or not what was stored */
    public void read(String application, String name, OutputStream to) throws IOException {
        Description description = description(application, name).orElseThrow(() ->
                bad(application + " has no object " + name + " in the global data layer"));
        PassingSum sum = description.sum();
        OutputStream checked = sum.before(to);
        long size = 0;
        for (int i = 0; i < description.pieces(); i++) {
            byte[] piece = store.get(TABLE, application, piece(name, i)).map(GlobalStore.Versioned::value)
                    .orElseThrow(() -> bad("a piece of object " + name + " is missing"));
            size += piece.length;
            checked.write(piece);
        }
        if (!description.isOf(size, sum.hex())) {
            throw bad("object " + name + " is not what was stored: its size or hash differs");
        }
    }

    private Optional<Description> description(String application, String name) {
        return store.get(TABLE, application, name + DESCRIPTION).map(found -> Codec.decode(found.value(), Description.class));
    }

    /** All objects of an execution; nothing happens when it has none. */
    public void deleteExecution(String application, String executionId) {
        store.deleteAll(TABLE, application, executionId + "/");
    }

    /** Executions of which there are objects, or pieces of some. */
    public Set<String> executions(String application) {
        Set<String> found = new TreeSet<>();
        for (String key : store.keys(TABLE, application, "", null, Integer.MAX_VALUE)) {
            found.add(key.substring(0, Math.max(0, key.indexOf('/'))));
        }
        found.remove("");
        return found;
    }

    /**
     * As deleteExecution, for one that nobody knows: what somebody begins to copy meanwhile stays.
     *
     * @param unknown asked after what is there was read
     */
    public void deleteUnknown(String application, String executionId, BooleanSupplier unknown) {
        Map<String, Long> versions = new LinkedHashMap<>();
        store.keys(TABLE, application, executionId + "/", null, Integer.MAX_VALUE).forEach(key ->
                versions.put(key, store.version(TABLE, application, key)));
        if (unknown.getAsBoolean()) {
            versions.forEach((key, version) -> {
                try {
                    store.delete(TABLE, application, key, version);
                } catch (StoreException e) {
                    if (e.kind() != Kind.CONFLICT) {
                        throw e;
                    }
                }
            });
        }
    }

    public void deleteApplication(String application) {
        store.deleteScope(TABLE, application);
    }

    private static String piece(String name, int index) {
        return name + "/p" + String.format("%06d", index);
    }

    private static StoreException changed(String name) {
        return new StoreException(Kind.BAD_VALUE, "object " + name + " changed while it was copied", 0, null);
    }

    private static StoreException bad(String message) {
        return new DamagedException(message);
    }

    /** Cuts what is written into pieces of the store, and stores a few at a time. */
    private final class Pieces extends OutputStream {
        private final String application;
        private final String name;
        private final long expected;
        private byte[] piece;
        private final List<GlobalStore.Write> waiting = new ArrayList<>();
        private int filled;
        private int count;
        private long size;

        Pieces(String application, String name, long expected) {
            this.application = application;
            this.name = name;
            this.expected = expected;
            this.piece = new byte[next()];
        }

        private int next() {
            return (int) Math.min(expected - size, PIECE_BYTES);
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (size + filled + length > expected) {
                throw changed(name);
            }
            for (int done = 0; done < length;) {
                int part = Math.min(length - done, piece.length - filled);
                System.arraycopy(bytes, offset + done, piece, filled, part);
                done += part;
                filled += part;
                if (filled == piece.length) {
                    takePiece();
                }
                if (waiting.size() == PIECES_A_WRITE) {
                    store.writeAll(waiting);
                    waiting.clear();
                }
            }
        }

        private void takePiece() {
            byte[] value = filled == piece.length ? piece : Arrays.copyOf(piece, filled);
            waiting.add(new GlobalStore.Write(TABLE, application, piece(name, count++), value));
            size += filled;
            filled = 0;
            piece = new byte[next()];
        }

        /** What is left of it goes with the description, behind all else. */
        void end(short schema, String sha256, String crc32c) {
            if (filled > 0) {
                takePiece();
            }
            waiting.add(new GlobalStore.Write(TABLE, application, name + DESCRIPTION,
                    Codec.encode(new Description(schema, size, sha256, count, crc32c, null))));
            store.writeAll(waiting);
        }
    }
}
