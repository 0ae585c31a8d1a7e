package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What an object consists of: its pieces in order, all but the last {@link #PIECE_BYTES} long, each under a drawn id and with
 * its hash. It is replaced as one, so a reader sees the object before a write or after it.
 *
 * @param sha256 of the whole, or null once it was written in part
 */
record ObjectManifest(String contentType, long size, byte[] sha256, List<Piece> pieces) {
    static final int PIECE_BYTES = 512 * 1024;
    private static final byte SCHEMA = 1;
    private static final int HASH_BYTES = 32;

    /** @param id null: nothing was ever written there, it reads as zeros */
    record Piece(UUID id, byte[] sha256) {
        static final Piece HOLE = new Piece(null, new byte[HASH_BYTES]);

        String key() {
            return id.toString();
        }
    }

    static ObjectManifest empty(String contentType) {
        return new ObjectManifest(contentType, 0, null, List.of());
    }

    byte[] encode() {
        byte[] type = contentType.getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.allocate(1 + 2 + type.length + 8 + 1 + HASH_BYTES + 4 + pieces.size() * (16 + HASH_BYTES));
        buffer.put(SCHEMA).putShort((short) type.length).put(type).putLong(size).put((byte) (sha256 == null ? 0 : 1))
                .put(sha256 == null ? new byte[HASH_BYTES] : sha256).putInt(pieces.size());
        for (Piece piece : pieces) {
            buffer.putLong(piece.id() == null ? 0 : piece.id().getMostSignificantBits())
                    .putLong(piece.id() == null ? 0 : piece.id().getLeastSignificantBits()).put(piece.sha256());
        }
        return buffer.array();
    }

    static ObjectManifest decode(String key, byte[] stored) {
        ByteBuffer buffer = ByteBuffer.wrap(stored);
        byte schema = buffer.get();
        if (schema != SCHEMA) {
            throw new StoreException(Kind.BROKEN, "object \"" + key + "\" has schema " + schema
                    + ", which this platform does not understand", 0, null);
        }
        byte[] type = new byte[Short.toUnsignedInt(buffer.getShort())];
        buffer.get(type);
        long size = buffer.getLong();
        boolean hashed = buffer.get() == 1;
        byte[] hash = hash(buffer);
        List<Piece> pieces = new ArrayList<>();
        for (int left = buffer.getInt(); left > 0; left--) {
            UUID id = new UUID(buffer.getLong(), buffer.getLong());
            byte[] pieceHash = hash(buffer);
            pieces.add(id.equals(new UUID(0, 0)) ? Piece.HOLE : new Piece(id, pieceHash));
        }
        return new ObjectManifest(new String(type, StandardCharsets.UTF_8), size, hashed ? hash : null, pieces);
    }

    private static byte[] hash(ByteBuffer buffer) {
        byte[] hash = new byte[HASH_BYTES];
        buffer.get(hash);
        return hash;
    }

    /** Bytes of the object in that piece. */
    int length(int piece) {
        return (int) Math.min(PIECE_BYTES, size - (long) piece * PIECE_BYTES);
    }
}
