package dev.sand.hostagent.work;

import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import java.util.concurrent.Executor;

/** A tail whose records are dealt with out of order: what lies below the first that is not is trimmed. */
abstract class LowWaterTail extends QueueTail {
    private static final int TRIM_RECORDS = 50;

    /** Null until the tail is opened. */
    LowWater lowWater;

    LowWaterTail(GlobalBus bus, String topic, int slot, long epoch, Executor threads) {
        super(bus, topic, slot, epoch, threads);
    }

    @Override
    long begin() {
        long begin = bus.beginOffset(topic, slot);
        lowWater = new LowWater(begin);
        return begin;
    }

    @Override
    final void onForeign(BusRecord record) {
        lowWater.passed(record.offset());
    }

    @Override
    final int undone() {
        return lowWater.open();
    }

    @Override
    final void trim() {
        long low = lowWater.trimTo(TRIM_RECORDS);
        if (low >= 0) {
            bus.trim(topic, slot, low);
        }
    }
}
