package dev.sand.globalbus;

import dev.sand.globalbus.GlobalBus.AppendListener;
import java.util.concurrent.CompletableFuture;

/** What the writer thread of the embedded bus is asked to do. */
sealed interface BusCommand extends Backlog.Entry {
    @Override
    default boolean isUrgent() {
        return true;
    }

    @Override
    default int size() {
        return 0;
    }

    /** What an append's listener waits for. */
    enum Wait { FOR_DISK, FOR_FILE, NOT }

    /** A class and no record: the writer sets offset and time, once a record. */
    final class Append implements BusCommand {
        final byte[] value;
        /** Null once it was told: the record may be here for longer than what its listener holds. */
        private AppendListener listener;
        private final Partition partition;
        private final Wait wait;
        long offset;
        long atMs;
        /** Of the log's batch that has it. */
        long batch;

        Append(Partition partition, byte[] value, Wait wait, AppendListener listener) {
            this.partition = partition;
            this.value = value;
            this.wait = wait;
            this.listener = listener;
        }

        /** One that was told of in an earlier run. */
        static Append found(Partition partition, long offset, AheadLogReader.Found found) {
            Append append = new Append(partition, found.value(), Wait.FOR_FILE, null);
            append.offset = offset;
            append.atMs = found.atMs();
            append.batch = found.number();
            return append;
        }

        /** Once: how it ended. */
        void tell(BusException failure) {
            AppendListener told = listener;
            listener = null;
            if (failure == null) {
                told.onAppended(offset);
            } else {
                told.onFailed(failure);
            }
        }

        Partition partition() {
            return partition;
        }

        @Override
        public boolean isUrgent() {
            return wait != Wait.NOT;
        }

        boolean isForDisk() {
            return wait == Wait.FOR_DISK;
        }

        @Override
        public int size() {
            return value.length;
        }
    }

    record Trim(Partition partition, long offset) implements BusCommand {
        @Override
        public boolean isUrgent() {
            return false;
        }
    }

    record Create(String topic, int partitions, CompletableFuture<Void> done) implements BusCommand {}

    record Delete(String topic, CompletableFuture<Void> done) implements BusCommand {}

    /** The last one: what came before it is written, nothing comes after. */
    record Close(CompletableFuture<Void> done) implements BusCommand {}
}
