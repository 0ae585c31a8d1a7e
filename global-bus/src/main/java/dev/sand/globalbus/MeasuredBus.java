package dev.sand.globalbus;

import dev.sand.event.DurationCounts;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.event.LatelyFull;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The global bus, and what an operator asks of it: how long an append takes until it is durable, and what fails, and why. It
 * stands where the bus is opened, so that whatever uses the bus is counted; what membership does below is not.
 */
public final class MeasuredBus implements GlobalBus {
    /** What was asked of the bus. */
    public enum Call { APPEND, READ, TOPICS }

    /** @param appends that became durable; @param failures that were told to whoever asked, by call and reason: all of both */
    public record Figures(DurationCounts.Reading appends, Map<Call, Map<Kind, Long>> failures, long backlogBytes) {}

    private final GlobalBus bus;
    private final DurationCounts appends = new DurationCounts();
    private final LatelyFull room = new LatelyFull();
    private final Map<Call, Map<Kind, LongAdder>> failures = new EnumMap<>(Call.class);

    public MeasuredBus(GlobalBus bus) {
        this.bus = bus;
        for (Call call : Call.values()) {
            Map<Kind, LongAdder> reasons = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                reasons.put(kind, new LongAdder());
            }
            failures.put(call, reasons);
        }
    }

    public Figures figures() {
        Map<Call, Map<Kind, Long>> counts = new EnumMap<>(Call.class);
        failures.forEach((call, reasons) -> {
            Map<Kind, Long> read = new EnumMap<>(Kind.class);
            reasons.forEach((kind, count) -> read.put(kind, count.sum()));
            counts.put(call, read);
        });
        return new Figures(appends.read(), counts, bus.backlogBytes());
    }

    private void failed(Call call, BusException failure) {
        failures.get(call).get(failure.kind()).increment();
    }

    private <T> T asked(Call call, Supplier<T> question) {
        try {
            return question.get();
        } catch (BusException e) {
            failed(call, e);
            throw e;
        }
    }

    private void asked(Call call, Runnable question) {
        asked(call, () -> {
            question.run();
            return null;
        });
    }

    /** Measures one append, and passes its outcome on. */
    private final class Measured implements AppendListener {
        private final AppendListener listener;
        private final long givenNs = System.nanoTime();

        Measured(AppendListener listener) {
            this.listener = listener;
        }

        @Override
        public void onAppended(long offset) {
            appends.add(System.nanoTime() - givenNs);
            listener.onAppended(offset);
        }

        @Override
        public void onFailed(BusException failure) {
            failed(Call.APPEND, failure);
            if (failure.kind() == Kind.FULL) {
                room.refused(failure.getMessage());
            }
            listener.onFailed(failure);
        }
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        bus.append(topic, partition, value, new Measured(listener));
    }

    @Override
    public void appendWritten(String topic, int partition, byte[] value, AppendListener listener) {
        bus.appendWritten(topic, partition, value, new Measured(listener));
    }

    @Override
    public void sync() {
        asked(Call.APPEND, bus::sync);
    }

    @Override
    public void appendInBackground(String topic, int partition, byte[] value, AppendListener listener) {
        bus.appendInBackground(topic, partition, value, new Measured(listener));
    }

    @Override
    public boolean isEmbedded() {
        return bus.isEmbedded();
    }

    @Override
    public Runnable gather() {
        return bus.gather();
    }

    @Override
    public void createTopic(String topic, int partitions) {
        asked(Call.TOPICS, () -> bus.createTopic(topic, partitions));
    }

    @Override
    public int partitions(String topic) {
        return asked(Call.TOPICS, () -> bus.partitions(topic));
    }

    @Override
    public List<String> topics() {
        return asked(Call.TOPICS, bus::topics);
    }

    @Override
    public void deleteTopic(String topic) {
        asked(Call.TOPICS, () -> bus.deleteTopic(topic));
    }

    @Override
    public List<BusRecord> read(String topic, int partition, long offset, int max) {
        return asked(Call.READ, () -> bus.read(topic, partition, offset, max));
    }

    @Override
    public long endOffset(String topic, int partition) {
        return asked(Call.READ, () -> bus.endOffset(topic, partition));
    }

    @Override
    public long beginOffset(String topic, int partition) {
        return asked(Call.READ, () -> bus.beginOffset(topic, partition));
    }

    @Override
    public List<Extent> extents(String topic) {
        return asked(Call.READ, () -> bus.extents(topic));
    }

    @Override
    public Map<String, List<Extent>> extents(Collection<String> topics) {
        return asked(Call.READ, () -> bus.extents(topics));
    }

    @Override
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        return asked(Call.READ, () -> bus.tail(topic, partition, offset, listener));
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        asked(Call.TOPICS, () -> bus.trim(topic, partition, offset));
    }

    @Override
    public String full() {
        return room.why();
    }

    @Override
    public long backlogBytes() {
        return bus.backlogBytes();
    }

    @Override
    public void close() {
        bus.close();
    }
}
