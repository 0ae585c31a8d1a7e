package dev.sand.frontend.deployment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipException;

/** The Unix modes in a zip's central directory, which java.util.zip does not tell: links and special files show there. */
final class ZipModes {
    static final int KIND = 0170000;
    static final int REGULAR = 0100000;
    static final int FOLDER = 0040000;
    private static final int END_SIGNATURE = 0x06054b50;
    private static final int END_BYTES = 22;
    private static final int ENTRY_SIGNATURE = 0x02014b50;
    private static final int ENTRY_BYTES = 46;
    private static final int MADE_ON_UNIX = 3;
    private static final int MANY_ENTRIES = 0xFFFF;

    private ZipModes() {}

    /**
     * @param mostBytes of the central directory, which is read into memory
     * @return mode by name; entries made elsewhere than on Unix have none
     */
    static Map<String, Integer> read(Path file, long mostBytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            long tail = Math.min(channel.size(), END_BYTES + 0xFFFF);
            ByteBuffer end = read(channel, channel.size() - tail, (int) tail);
            int at = (int) tail - END_BYTES;
            while (at >= 0 && end.getInt(at) != END_SIGNATURE) {
                at--;
            }
            if (at < 0) {
                throw new ZipException("no end of central directory");
            }
            long size = end.getInt(at + 12) & 0xFFFFFFFFL;
            long offset = end.getInt(at + 16) & 0xFFFFFFFFL;
            // With any of these marks java.util.zip takes a Zip64 directory, which may be another than this one.
            boolean zip64 = offset == 0xFFFFFFFFL || size == 0xFFFFFFFFL || (end.getShort(at + 10) & 0xFFFF) == MANY_ENTRIES;
            if (zip64 || offset + size > channel.size()) {
                throw new ZipException("a central directory outside the file, or a Zip64 one");
            }
            if (size > mostBytes) {
                throw new ZipException("a central directory of " + size + " bytes, over the " + mostBytes + " that its entries may have");
            }
            return entries(read(channel, offset, (int) size));
        }
    }

    private static Map<String, Integer> entries(ByteBuffer directory) throws ZipException {
        Map<String, Integer> modes = new HashMap<>();
        while (directory.remaining() >= ENTRY_BYTES) {
            int at = directory.position();
            if (directory.getInt(at) != ENTRY_SIGNATURE) {
                throw new ZipException("a damaged central directory");
            }
            int name = directory.getShort(at + 28) & 0xFFFF;
            int extra = directory.getShort(at + 30) & 0xFFFF;
            int comment = directory.getShort(at + 32) & 0xFFFF;
            if (directory.remaining() < ENTRY_BYTES + name + extra + comment) {
                throw new ZipException("a damaged central directory");
            }
            if (directory.get(at + 5) == MADE_ON_UNIX) {
                byte[] bytes = new byte[name];
                directory.get(at + ENTRY_BYTES, bytes);
                modes.put(new String(bytes, StandardCharsets.UTF_8), directory.getInt(at + 38) >>> 16);
            }
            directory.position(at + ENTRY_BYTES + name + extra + comment);
        }
        return modes;
    }

    private static ByteBuffer read(FileChannel channel, long offset, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) >= 0) {
            continue;
        }
        return buffer.flip();
    }
}
