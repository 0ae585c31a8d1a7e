package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.hostagent.process.Change;

/**
 * What the journals have of a shard's processes that no image has. A new owner reads all of it, and holds it in memory until the
 * processes are as they were; and it takes room on the disk. So who has too much of it gets an image before its time.
 */
final class JournalBytes {
    /** Of one process, or a quarter of its state when that is more: an image costs what has changed. */
    static final long OF_ONE = 64L << 20;
    /** Of all; beyond, whoever writes and has more than the others. */
    static final long OF_ALL = 128L << 20;
    /**
     * So many times as much while the process has large messages: an image would write them once more, and they are gone when the
     * functions that have received them have ended. Whoever reads the journal has their names alone in memory.
     */
    static final int SPARED = 4;
    /** Of a change, beside its values, in the memory of who reads it. */
    private static final int RECORD = 1024;

    private long all;
    private int shares;

    static long of(Change change) {
        long bytes = RECORD;
        for (Payload value : change.values()) {
            bytes += value.size();
        }
        return bytes;
    }

    /** A process's part of it. */
    final class Share {
        /** What the image has that is being written. */
        private long imaged;
        private long behind;

        void add(long bytes) {
            shares += imaged + behind == 0 ? 1 : 0;
            behind += bytes;
            all += bytes;
        }

        void imageBegins() {
            imaged += behind;
            behind = 0;
        }

        /** The journal lets go what the image has. */
        void imageIsThere() {
            remove(imaged);
            imaged = 0;
        }

        /** The process is here no more. */
        void close() {
            remove(imaged + behind);
            imaged = 0;
            behind = 0;
        }

        private void remove(long bytes) {
            all -= bytes;
            shares -= bytes > 0 && bytes == imaged + behind ? 1 : 0;
        }

        /** @param messageBytes of large messages that it has */
        boolean isTooMuch(long stateBytes, long messageBytes) {
            long own = imaged + behind;
            boolean isSpared = own < SPARED * Math.min(messageBytes, OF_ONE);
            return !isSpared && own >= Math.max(OF_ONE, stateBytes / 4)
                    || all >= (isSpared ? SPARED * OF_ALL : OF_ALL) && own >= all / shares;
        }
    }
}
