package dev.sand.hostagent.work;

import dev.sand.event.BusRecords;
import dev.sand.event.LogFields;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Tail;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one partition for as long as its slot is ours. Records are dealt with one after the other on a thread of its own;
 * when more are not dealt with than is good, the bus is told to pause. What nobody needs any more is trimmed, never by time.
 */
abstract class QueueTail implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QueueTail.class);
    private static final int PAUSE_AT = 1000;
    private static final int RESUME_AT = 300;

    final GlobalBus bus;
    final String topic;
    final int slot;
    final long epoch;
    private final Serial serial;
    private Tail tail;
    private boolean paused;
    private volatile boolean closed;

    QueueTail(GlobalBus bus, String topic, int slot, long epoch, Executor threads) {
        this.bus = bus;
        this.topic = topic;
        this.slot = slot;
        this.epoch = epoch;
        this.serial = new Serial(threads);
    }

    final void open() {
        serial.execute(() -> {
            if (!closed && tail == null) {
                try {
                    tail = bus.tail(topic, slot, begin(), records -> serial.execute(() -> records.forEach(this::take)));
                } catch (RuntimeException e) {
                    LOG.atWarn().addKeyValue(LogFields.TOPIC, topic).addKeyValue(LogFields.SLOT, slot)
                            .addKeyValue(LogFields.EPOCH, epoch)
                            .log("{}-{} cannot be followed yet: {}", topic, slot, e.getMessage());
                }
            }
        });
    }

    /** About every second: what could not be opened is tried again, what nobody needs is trimmed. @param ours for sure: else not */
    final void comeBy(boolean ours) {
        open();
        inTurn(() -> {
            if (tail != null && ours) {
                trim();
            }
        });
    }

    /** Where to begin; may read ahead and block. */
    abstract long begin();

    /**
     * @throws BusRecords.ForeignException when it is none of ours; any other when it is not understood: the partition stops, for
     *     what follows may depend on it
     */
    abstract void on(BusRecord record);

    /** It was said, and is passed over: nobody needs it. */
    abstract void onForeign(BusRecord record);

    /** Given and not dealt with. */
    abstract int undone();

    abstract void trim();

    final boolean isClosed() {
        return closed;
    }

    private void take(BusRecord record) {
        if (closed) {
            return;
        }
        try {
            on(record);
        } catch (BusRecords.ForeignException e) {
            LOG.atWarn().addKeyValue(LogFields.TOPIC, topic).addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                    .log("{}-{}, offset {}: passed over, {}", topic, slot, record.offset(), e.getMessage());
            onForeign(record);
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue(LogFields.TOPIC, topic).addKeyValue(LogFields.SLOT, slot).addKeyValue(LogFields.EPOCH, epoch)
                    .setCause(e)
                    .log("{}-{} stops at offset {}: {}; what follows waits for a platform that understands it", topic, slot,
                    record.offset(), e.getMessage());
            end();
            return;
        }
        balance();
    }

    /** In this tail's turn. */
    final void inTurn(Runnable task) {
        serial.execute(() -> {
            if (!closed) {
                task.run();
                balance();
            }
        });
    }

    private void balance() {
        if (tail == null) {
            return; // the bus has not said yet where to begin
        }
        int open = undone();
        if (!paused && open >= PAUSE_AT) {
            paused = true;
            tail.pause();
        } else if (paused && open <= RESUME_AT) {
            paused = false;
            tail.resume();
        }
    }

    private void end() {
        closed = true;
        if (tail != null) {
            tail.close();
        }
    }

    /** Nothing of it is given to a shard any more, soon. */
    @Override
    public final void close() {
        closed = true;
        serial.execute(this::end);
    }
}
