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

    /** A class and no record: the writer sets the offset, once a record. */
    final class Append implements BusCommand {
        final byte[] value;
        final AppendListener listener;
        private final Partition partition;
        private final boolean urgent;
        long offset;

        Append(Partition partition, byte[] value, boolean urgent, AppendListener listener) {
            this.partition = partition;
            this.value = value;
            this.urgent = urgent;
            this.listener = listener;
        }

        Partition partition() {
            return partition;
        }

        @Override
        public boolean isUrgent() {
            return urgent;
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
