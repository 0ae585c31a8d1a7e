package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.RecordBytes;

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
     * functions that have received them have ended. Whoever reads the journal has their names alone in memory; of what it holds there,
     * the bounds above are those in any case.
     */
    static final int SPARED = 4;
    /** Of a change, beside its values, in the memory of who reads it. */
    private static final int RECORD = 1024;

    private final long heldOfOne;
    private Bytes all = Bytes.NONE;
    private int shares;

    /** @param heldOfOne of one process, as {@link #OF_ONE}, what a reader has to hold ({@link CoreConfiguration#journaledBytes}) */
    JournalBytes(long heldOfOne) {
        this.heldOfOne = heldOfOne;
    }

    /** @param held of those, what the memory of who reads the journal has: not what has a name there alone */
    record Bytes(long whole, long held) {
        static final Bytes NONE = new Bytes(0, 0);

        static Bytes of(Change change) {
            long whole = RECORD;
            long held = RECORD;
            for (Payload value : change.values()) {
                whole += value.size();
                held += RecordBytes.isBeside(value) ? 0 : value.size();
            }
            return new Bytes(whole, held);
        }

        Bytes plus(Bytes more) {
            return new Bytes(whole + more.whole, held + more.held);
        }

        Bytes minus(Bytes less) {
            return new Bytes(whole - less.whole, held - less.held);
        }
    }

    /** A process's part of it. */
    final class Share {
        /** What the image has that is being written. */
        private Bytes imaged = Bytes.NONE;
        private Bytes behind = Bytes.NONE;

        void add(Change change) {
            Bytes bytes = Bytes.of(change);
            shares += own().whole == 0 ? 1 : 0;
            behind = behind.plus(bytes);
            all = all.plus(bytes);
        }

        private Bytes own() {
            return imaged.plus(behind);
        }

        void imageBegins() {
            imaged = own();
            behind = Bytes.NONE;
        }

        /** The journal lets go what the image has. */
        void imageIsThere() {
            remove(imaged);
            imaged = Bytes.NONE;
        }

        /** The process is here no more. */
        void close() {
            remove(own());
            imaged = Bytes.NONE;
            behind = Bytes.NONE;
        }

        private void remove(Bytes bytes) {
            all = all.minus(bytes);
            shares -= bytes.whole > 0 && bytes.equals(own()) ? 1 : 0;
        }

        /** @param messageBytes of large messages that it has */
        boolean isTooMuch(long stateBytes, long messageBytes) {
            Bytes own = own();
            long most = most(OF_ONE, stateBytes);
            boolean isSpared = own.whole < SPARED * Math.min(messageBytes, OF_ONE);
            return own.held >= most(heldOfOne, stateBytes) || !isSpared && own.whole >= most
                    || isMuch(all.held, OF_ALL, own.held) || isMuch(all.whole, isSpared ? SPARED * OF_ALL : OF_ALL, own.whole);
        }

        private static long most(long most, long stateBytes) {
            return Math.max(most, stateBytes / 4);
        }

        /** It would be too much soon, perhaps when there are large messages again: now there are none. */
        boolean isWorthIt(long stateBytes) {
            return own().whole >= most(OF_ONE, stateBytes) / 2;
        }

        private boolean isMuch(long ofAll, long most, long own) {
            return ofAll >= most && own >= ofAll / shares;
        }
    }
}
