package dev.sand.datalayer;

import dev.sand.datalayer.ProcessImage.Chunk;
import dev.sand.datalayer.ProcessImage.Part;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ProcessPlace;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The row of a process in {@link ProcessImages}, which is replaced as one: what there is to know of its image, or that there is
 * none. Its index (the values' names and sizes, the chunks, a long head) is in the row when it is short, else in chunks that the
 * row names: rows are listed.
 *
 * @param head null: it is in the index; @param index null: it is in {@code indexChunks}
 */
record ImageManifest(long epoch, long number, boolean swapped, long writtenMs, long bytes, long storedBytes, int parts, byte[] head,
                     byte[] index, List<Chunk> indexChunks) {
    static final int INLINE_HEAD_BYTES = 16 * 1024;
    static final int INLINE_INDEX_BYTES = 8 * 1024;
    private static final byte SCHEMA = 1;
    /** Of a process that was moved by hand: where it lives comes before all else. */
    private static final byte OF_MOVED = 2;
    private static final int STAMP_AT = 1;
    /** Schema, stamp. */
    private static final int PREFIX_BYTES = 1 + 16;
    private static final int CHECKSUM_BYTES = 8;
    /** Slot, moves. */
    private static final int PLACE_BYTES = 4 + 4;
    private static final int HASH_BYTES = 32;
    /** Of a process that has no image: deleted, or its first one is being written. Its row keeps the fence. */
    private static final byte[] NOTHING = {0};

    /** What is read with the row or behind it. */
    record Index(List<Part> parts, List<Chunk> chunks, byte[] head) {}

    private interface Format {
        void write(DataOutputStream out) throws IOException;
    }

    // --- rows: schema, stamp, content, checksum

    /** @param stamp drawn for each write, which so knows its own row again */
    static byte[] row(UUID stamp, ImageManifest image) {
        return row(stamp, image, null);
    }

    /** @param place of a process that was moved; null: it never was */
    static byte[] row(UUID stamp, ImageManifest image, ProcessPlace place) {
        byte[] content = image == null ? NOTHING : bytes(image::write);
        return place == null ? sealed(SCHEMA, stamp, content) : sealed(OF_MOVED, stamp, bytes(out -> {
            out.writeInt(place.slot());
            out.writeInt(place.moves());
            out.write(content);
        }));
    }

    /** The same as of a later change, which made none but that. */
    ImageManifest at(long last) {
        return new ImageManifest(epoch, last, swapped, writtenMs, bytes, storedBytes, parts, head, index, indexChunks);
    }

    /** The row as it is, under another stamp; a damaged one stays so. */
    static byte[] claimed(UUID stamp, String process, byte[] row) {
        checkSchema(process, row);
        byte[] claimed = Arrays.copyOf(sealed(row.length > 0 ? row[0] : SCHEMA, stamp, NOTHING), Math.max(row.length, PREFIX_BYTES));
        System.arraycopy(row, PREFIX_BYTES, claimed, PREFIX_BYTES, Math.max(0, row.length - PREFIX_BYTES));
        return claimed;
    }

    static boolean isStamped(byte[] row, UUID stamp) {
        return Arrays.equals(row, STAMP_AT, PREFIX_BYTES, sealed(SCHEMA, stamp, NOTHING), STAMP_AT, PREFIX_BYTES);
    }

    /** @return null: the process has no image; @throws StoreException BROKEN */
    static ImageManifest decode(String process, byte[] row) {
        byte[] content = content(process, row);
        return content[0] == 0 ? null : read(process, content, ImageManifest::read);
    }

    /** @return null: it was never moved, or the row is damaged */
    static ProcessPlace place(String process, byte[] row) {
        if (row.length == 0 || row[0] != OF_MOVED) {
            return null;
        }
        try {
            return read(process, whole(process, row), in -> new ProcessPlace(in.readInt(), in.readInt()));
        } catch (StoreException e) {
            return null;
        }
    }

    private static byte[] sealed(byte schema, UUID stamp, byte[] content) {
        CRC32C checksum = new CRC32C();
        checksum.update(content);
        return bytes(out -> {
            out.writeByte(schema);
            out.writeLong(stamp.getMostSignificantBits());
            out.writeLong(stamp.getLeastSignificantBits());
            out.write(content);
            out.writeLong(checksum.getValue());
        });
    }

    private static void checkSchema(String process, byte[] row) {
        if (row.length > 0 && row[0] != SCHEMA && row[0] != OF_MOVED) {
            throw new StoreException(Kind.BROKEN, "the image of process \"" + process + "\" has schema " + row[0]
                    + ", which this platform does not understand: run the one that wrote it", 0, null);
        }
    }

    private static byte[] content(String process, byte[] row) {
        byte[] whole = whole(process, row);
        if (row[0] != OF_MOVED) {
            return whole;
        }
        if (whole.length <= PLACE_BYTES) {
            throw damaged(process, null);
        }
        return Arrays.copyOfRange(whole, PLACE_BYTES, whole.length);
    }

    private static byte[] whole(String process, byte[] row) {
        checkSchema(process, row);
        if (row.length <= PREFIX_BYTES + CHECKSUM_BYTES) {
            throw damaged(process, null);
        }
        byte[] content = Arrays.copyOfRange(row, PREFIX_BYTES, row.length - CHECKSUM_BYTES);
        CRC32C checksum = new CRC32C();
        checksum.update(content);
        long written = read(process, Arrays.copyOfRange(row, row.length - CHECKSUM_BYTES, row.length), DataInputStream::readLong);
        if (written != checksum.getValue()) {
            throw damaged(process, null);
        }
        return content;
    }

    private void write(DataOutputStream out) throws IOException {
        out.writeByte(1);
        out.writeLong(epoch);
        out.writeLong(number);
        out.writeBoolean(swapped);
        out.writeLong(writtenMs);
        out.writeLong(bytes);
        out.writeLong(storedBytes);
        out.writeInt(parts);
        writeBytes(out, head);
        writeBytes(out, index);
        writeChunks(out, indexChunks);
    }

    private static ImageManifest read(DataInputStream in) throws IOException {
        in.readByte();
        return new ImageManifest(in.readLong(), in.readLong(), in.readBoolean(), in.readLong(), in.readLong(), in.readLong(), in.readInt(),
                readBytes(in), readBytes(in), readChunks(in));
    }

    // --- the index

    static byte[] encode(Index index) {
        return bytes(out -> {
            out.writeInt(index.parts().size());
            for (Part part : index.parts()) {
                writeBytes(out, part.name().getBytes(StandardCharsets.UTF_8));
                writeBytes(out, part.contentType().getBytes(StandardCharsets.UTF_8));
                out.writeLong(part.size());
            }
            writeChunks(out, index.chunks());
            writeBytes(out, index.head());
        });
    }

    static Index decodeIndex(String process, byte[] index) {
        return read(process, index, in -> {
            int count = in.readInt();
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                parts.add(new Part(text(readBytes(in)), text(readBytes(in)), in.readLong()));
            }
            return new Index(parts, readChunks(in), readBytes(in));
        });
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes == null ? -1 : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        return length < 0 ? null : in.readNBytes(length);
    }

    private static void writeChunks(DataOutputStream out, List<Chunk> chunks) throws IOException {
        out.writeInt(chunks.size());
        for (Chunk chunk : chunks) {
            out.writeLong(chunk.epoch());
            out.write(HexFormat.of().parseHex(chunk.hash()));
            out.writeInt(chunk.length());
            out.writeInt(chunk.stored());
        }
    }

    private static List<Chunk> readChunks(DataInputStream in) throws IOException {
        List<Chunk> chunks = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            chunks.add(new Chunk(in.readLong(), HexFormat.of().formatHex(in.readNBytes(HASH_BYTES)), in.readInt(), in.readInt()));
        }
        return chunks;
    }

    private static byte[] bytes(Format format) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            format.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("memory can be written to", e);
        }
        return bytes.toByteArray();
    }

    private interface Parser<T> {
        T read(DataInputStream in) throws IOException;
    }

    private static <T> T read(String process, byte[] bytes, Parser<T> parser) {
        try {
            return parser.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            throw damaged(process, e);
        }
    }

    private static StoreException damaged(String process, Exception cause) {
        return new StoreException(Kind.BROKEN, "the image of process \"" + process + "\" is damaged: its manifest is not as it was written",
                0, cause);
    }
}
