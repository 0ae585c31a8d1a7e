package dev.sand.hostagent.work;

import dev.sand.event.BusRecords;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.slots.Shards;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One partition of a grain's work queue: events of executions that other hosts own are run here. Once a result is on its way
 * back, a flag beside the event says so, for the owner that the partition may have next; then it is trimmed.
 */
final class WorkTail extends LowWaterTail {
    private static final int PAGE = 500;

    private final boolean inherited;
    private final Shards shards;
    private final Consumer<RemoteEvent> begins;
    private final BooleanSupplier held;
    private final Set<String> doneBefore = new HashSet<>();
    private long end;

    /**
     * @param inherited the queue was there before the slot was ours: what is in it may have been another host's
     * @param begins told of each event that is to run here
     * @param held whether the slot is this host's as far as it knows
     */
    WorkTail(GlobalBus bus, String topic, int slot, long epoch, Executor threads, boolean inherited, Shards shards,
             Consumer<RemoteEvent> begins, BooleanSupplier held) {
        super(bus, topic, slot, epoch, threads);
        this.inherited = inherited;
        this.shards = shards;
        this.begins = begins;
        this.held = held;
    }

    /** What an earlier owner of the partition has returned is not run again: its flags are read first. */
    @Override
    long begin() {
        long begin = super.begin();
        end = bus.endOffset(topic, slot);
        for (long next = begin; next < end;) {
            List<BusRecord> page = bus.read(topic, slot, next, PAGE);
            if (page.isEmpty()) {
                break;
            }
            for (BusRecord each : page) {
                WorkRecord record = ours(each);
                if (record != null && record.kind().equals(WorkRecord.DONE)) {
                    doneBefore.add(name(record));
                }
            }
            next = page.getLast().offset() + 1;
        }
        return begin;
    }

    /** @return null: it says nothing, as is told when its turn comes */
    private WorkRecord ours(BusRecord each) {
        try {
            return decode(each);
        } catch (BusRecords.ForeignException | BusRecords.NewerException e) {
            return null;
        }
    }

    private WorkRecord decode(BusRecord each) {
        WorkRecord record = WorkRecord.decode(each.value());
        BusRecords.require(Topics.work(record.application(), record.grain()).equals(topic) && !record.kind().equals(WorkRecord.RETURNED),
                "a " + record.kind() + " of " + record.application() + "/" + record.grain());
        return record;
    }

    private static String name(WorkRecord record) {
        return record.eventId() + " " + record.epoch() + " " + record.attempt();
    }

    /** A host that stood still has lost its slots before it knows: what it finds then is another's to run, and to end after three. */
    @Override
    void on(BusRecord each) {
        if (!held.getAsBoolean()) {
            return;
        }
        WorkRecord record = decode(each);
        boolean run = record.kind().equals(WorkRecord.RUN) && !(each.offset() < end && doneBefore.remove(name(record)));
        if (!run) {
            lowWater.passed(each.offset());
            return;
        }
        RemoteEvent event = record.event();
        lowWater.ends(event.eventId(), event.epoch(), event.attempt() - 1);
        lowWater.begins(event.eventId(), each.offset(), event.epoch(), event.attempt());
        begins.accept(event);
        shards.submit(event.app().application(), new Input.RunForOwner(event, inherited && each.offset() < end));
    }

    void onReturned(RemoteEvent event) {
        inTurn(() -> {
            int before = lowWater.open();
            lowWater.ends(event.eventId(), event.epoch(), event.attempt());
            if (lowWater.open() < before) {
                bus.appendInBackground(topic, slot, WorkRecord.done(event).encode(), IGNORED);
            }
        });
    }

    /** A flag that is missing costs a second run, whose result nobody wants. */
    private static final GlobalBus.AppendListener IGNORED = new GlobalBus.AppendListener() {
        @Override
        public void onAppended(long offset) {}

        @Override
        public void onFailed(BusException failure) {}
    };
}
