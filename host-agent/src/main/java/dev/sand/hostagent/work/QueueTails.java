package dev.sand.hostagent.work;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.slots.Shards;
import dev.sand.hostagent.slots.SlotKeeper.ReadyListener;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.hostagent.slots.TopicList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this host follows of the slots that it owns: work queues, returns and requests, those that exist and those made later. */
public final class QueueTails implements ReadyListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QueueTails.class);

    private record Place(String topic, int slot) {}

    private final GlobalBus bus;
    private final TopicList topics;
    private final SlotTable slots;
    private final Shards shards;
    private final RecordAdapter records;
    private final ObjectCopies copies;
    private final BiConsumer<InvocationRequest, InvocationListener> invoke;
    private final Map<Place, QueueTail> tails = new ConcurrentHashMap<>();
    /** By slot: the epoch under which the queues that it came with are followed; changed by the slot's keeper in its turn. */
    private final long[] begun;
    /** Events of an execution that run here for its owner. */
    private final Map<String, Integer> guests = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("queue-", 0).factory());
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("queue-clock").daemon().factory());

    /** @param invoke begins a request, as a frontend would */
    public QueueTails(GlobalBus bus, SlotTable slots, Shards shards, RecordAdapter records, ObjectCopies copies,
                      RemoteWork remote, BiConsumer<InvocationRequest, InvocationListener> invoke) {
        this.bus = bus;
        this.topics = new TopicList(bus);
        this.slots = slots;
        this.begun = new long[slots.slots()];
        this.shards = shards;
        this.records = records;
        this.copies = copies;
        this.invoke = invoke;
        remote.onReturned(this::onReturned);
    }

    @Override
    public void onReady(int slot, long epoch) {
        List<String> names;
        try {
            names = topics.names();
        } catch (RuntimeException e) {
            LOG.debug("topics are not known now", e);
            return;
        }
        boolean inherited = begun[slot] != epoch;
        for (String topic : names) {
            if (WorkTopics.isWork(topic) || WorkTopics.isReturns(topic) || WorkTopics.isRequests(topic)) {
                open(new Place(topic, slot), epoch, inherited);
            }
        }
        begun[slot] = epoch;
        for (Map.Entry<Place, QueueTail> each : tails.entrySet()) {
            if (each.getKey().slot() != slot) {
                continue;
            }
            if (names.contains(each.getKey().topic()) && !each.getValue().isClosed()) {
                each.getValue().comeBy(slots.mayAct()); // else another host may need what was dealt with here
            } else if (!names.contains(each.getKey().topic())) {
                close(each.getKey());
            }
        }
        if (slots.epoch(slot) != epoch) {
            onGone(slot, epoch); // it was lost while the bus was asked for its topics, and nobody says so again
        }
    }

    private void open(Place place, long epoch, boolean inherited) {
        QueueTail known = tails.get(place);
        if (known == null || known.epoch < epoch) {
            close(place);
            QueueTail tail = tail(place, epoch, inherited);
            tails.put(place, tail);
            tail.open();
        }
    }

    private QueueTail tail(Place place, long epoch, boolean inherited) {
        if (WorkTopics.isWork(place.topic())) {
            return new WorkTail(bus, place.topic(), place.slot(), epoch, threads, inherited, shards,
                    this::onBegins, () -> slots.holds(place.slot(), epoch));
        }
        return WorkTopics.isReturns(place.topic())
                ? new ReturnsTail(bus, place.topic(), place.slot(), epoch, threads, shards)
                : new RequestsTail(bus, place.topic(), place.slot(), epoch, threads, invoke, records, clock, slots::nowMs);
    }

    private void close(Place place) {
        QueueTail tail = tails.remove(place);
        if (tail != null) {
            tail.close();
        }
    }

    @Override
    public void onGone(int slot, long epoch) {
        for (Map.Entry<Place, QueueTail> each : tails.entrySet()) {
            if (each.getKey().slot() == slot && each.getValue().epoch <= epoch && tails.remove(each.getKey(), each.getValue())) {
                each.getValue().close();
            }
        }
    }

    private void onBegins(RemoteEvent event) {
        guests.merge(event.executionId(), 1, Integer::sum);
    }

    private void onReturned(RemoteResult result) {
        RemoteEvent event = result.event();
        String topic = Topics.work(event.app().application(), event.grain());
        for (Map.Entry<Place, QueueTail> each : tails.entrySet()) {
            if (each.getKey().topic().equals(topic) && each.getValue() instanceof WorkTail tail) {
                tail.onReturned(event);
            }
        }
        Integer left = guests.computeIfPresent(event.executionId(), (id, count) -> count > 1 ? count - 1 : null);
        if (left == null && slots.epoch(slots.slotOf(event.executionId())) == 0) {
            copies.leave(event.app().application(), event.executionId());
        }
    }

    @Override
    public void close() {
        List.copyOf(tails.keySet()).forEach(this::close);
        clock.shutdownNow();
        threads.shutdown();
    }
}
