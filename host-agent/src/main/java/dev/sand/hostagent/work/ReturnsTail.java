package dev.sand.hostagent.work;

import dev.sand.event.BusRecords;
import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.slots.Shards;
import java.util.concurrent.Executor;

/**
 * Results of events that ran elsewhere, for executions that this host owns. Trimmed once they were given to their shard, and
 * nothing of them has to be durable before: a result counts only under the epoch that sent its event away. When this process
 * dies before their <i>finished</i> is in the journal, the next owner has another epoch, under which these results count for
 * nothing whether they are still there or not, and the events run again.
 */
final class ReturnsTail extends QueueTail {
    private static final int TRIM_RECORDS = 50;

    private final Shards shards;
    private long given;
    private long trimmedTo;

    ReturnsTail(GlobalBus bus, String topic, int slot, long epoch, Executor threads, Shards shards) {
        super(bus, topic, slot, epoch, threads);
        this.shards = shards;
    }

    @Override
    long begin() {
        trimmedTo = bus.beginOffset(topic, slot);
        given = trimmedTo;
        return trimmedTo;
    }

    @Override
    void on(BusRecord record) {
        WorkRecord returned = WorkRecord.decode(record.value());
        BusRecords.require(returned.kind().equals(WorkRecord.RETURNED) && Topics.returns(returned.application()).equals(topic),
                "a " + returned.kind() + " of " + returned.application());
        RemoteResult result = returned.result();
        shards.submit(result.event().app().application(), new Input.Returned(result));
        given = record.offset() + 1;
    }

    @Override
    void onForeign(BusRecord record) {
        given = record.offset() + 1;
    }

    @Override
    int undone() {
        return 0;
    }

    @Override
    void trim() {
        if (given - trimmedTo >= TRIM_RECORDS) {
            trimmedTo = given;
            bus.trim(topic, slot, trimmedTo);
        }
    }
}
