package dev.sand.hostagent.work;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.slots.Shards;
import dev.sand.hostagent.slots.SlotTable;
import dev.sand.workflow.Execution.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events to other hosts, and their results back (SAND 3.2, 4.1): an event goes into the work queue of its grain, into a
 * partition whose slot that host owns now; the result goes to the owner of the execution's slot, whoever that is then. Calls
 * return at once; copies and encoding are done on threads of its own, a bounded number at once.
 */
public final class RemoteWork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteWork.class);
    private static final int AT_ONCE = 2000;
    private static final long RETRY_MS = 500;
    /** A result that cannot be returned for so long is of no use: the owner's attempt has timed out or was given to another. */
    private static final int RETRIES = 240;

    private final GlobalBus bus;
    private final Membership membership;
    private final SlotTable slots;
    private final ObjectCopies copies;
    private final Shards shards;
    private final AtomicInteger turn = new AtomicInteger();
    private final Semaphore room = new Semaphore(AT_ONCE);
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("remote-", 0).factory());
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("remote-clock").daemon().factory());
    private volatile Consumer<RemoteResult> returned = result -> { };

    public RemoteWork(GlobalBus bus, Membership membership, SlotTable slots, ObjectCopies copies, Shards shards) {
        this.bus = bus;
        this.membership = membership;
        this.slots = slots;
        this.copies = copies;
        this.shards = shards;
    }

    /** @param listener told of every result that is in the bus */
    void onReturned(Consumer<RemoteResult> listener) {
        returned = listener;
    }

    /** Answered with SentAway; retryable: the bus, or the data layer, does not take it now. */
    public void sendAway(String host, RemoteEvent event) {
        start(() -> {
            RemoteEvent portable = with(event, copies.portable(event.app().application(), event.executionId(),
                    newName(), event.payload()));
            int partition = partitionOf(host);
            if (partition < 0) {
                sent(event, Failure.platform(Errors.UNAVAILABLE, "host " + host + " owns no slot now", false));
                return;
            }
            append(Topics.work(event.app().application(), event.grain()), partition, WorkRecord.run(portable).encode(), 1,
                    failure -> sent(event, failure));
        }, failure -> sent(event, failure));
    }

    private void sent(RemoteEvent event, Failure failure) {
        shards.submit(event.app().application(), new Input.SentAway(event.executionId(), event.eventId(), event.attempt(), failure));
    }

    /** Its slots in turn, so that its work is spread over them. */
    private int partitionOf(String host) {
        List<Owner> owners = membership.view().owners();
        int start = Math.floorMod(turn.getAndIncrement(), owners.size());
        for (int i = 0; i < owners.size(); i++) {
            Owner owner = owners.get((start + i) % owners.size());
            if (owner != null && owner.host().host().equals(host)) {
                return owner.slot();
            }
        }
        return -1;
    }

    /** Given up only when the bus does not take it for a long time. */
    public void sendBack(RemoteResult result) {
        start(() -> {
            RemoteEvent event = result.event();
            byte[] record = WorkRecord.returned(portable(result)).encode();
            append(Topics.returns(event.app().application()), event.slot(), record, RETRIES, failure -> {
                if (failure == null) {
                    returned.accept(result);
                } else {
                    LOG.atWarn().addKeyValue(LogFields.APPLICATION, event.app().application())
                            .addKeyValue(LogFields.EXECUTION_ID, event.executionId())
                            .addKeyValue(LogFields.EVENT_ID, event.eventId()).addKeyValue(LogFields.SLOT, event.slot())
                            .addKeyValue(LogFields.EPOCH, event.epoch())
                            .log("the result of event {} cannot be returned: {}", event.eventId(), failure.cause());
                }
            });
        }, failure -> {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, result.event().app().application())
                    .addKeyValue(LogFields.EXECUTION_ID, result.event().executionId())
                    .addKeyValue(LogFields.EVENT_ID, result.event().eventId()).addKeyValue(LogFields.SLOT, result.event().slot())
                    .addKeyValue(LogFields.EPOCH, result.event().epoch())
                    .log("the result of event {} cannot be returned yet: {}", result.event().eventId(), failure.cause());
            later(() -> sendBack(result));
        });
    }

    private RemoteResult portable(RemoteResult result) {
        RemoteEvent event = result.event();
        String application = event.app().application();
        Payload output = result.output() == null ? null
                : copies.portable(application, event.executionId(), newName(), result.output());
        List<Published> published = null;
        if (result.published() != null) {
            published = new ArrayList<>();
            for (Published each : result.published()) {
                published.add(new Published(each.grain(), copies.portable(application, event.executionId(), newName(),
                        each.payload())));
            }
        }
        return new RemoteResult(event, result.host(), output, published, result.failure(), result.lost(), result.hop());
    }

    /** For a value that is no object yet. */
    private static String newName() {
        return "r" + UUID.randomUUID();
    }

    private static RemoteEvent with(RemoteEvent event, Payload payload) {
        return new RemoteEvent(event.app(), event.executionId(), event.eventId(), event.grain(), event.attempt(),
                event.remainingMs(), payload, event.traceparent(), event.slot(), event.epoch());
    }

    private void start(Runnable work, Consumer<Failure> failed) {
        if (!room.tryAcquire()) {
            failed.accept(Failure.platform(Errors.OVERLOADED, "too many events are on their way between hosts already: "
                    + AT_ONCE, true));
            return;
        }
        threads.execute(() -> {
            try {
                work.run();
            } catch (StoreException | BusException e) {
                failed.accept(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), true));
            } finally {
                room.release();
            }
        });
    }

    /** @param then given null or the failure; on the bus's thread */
    private void append(String topic, int partition, byte[] record, int tries, Consumer<Failure> then) {
        bus.append(topic, partition, record, new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {
                then.accept(null);
            }

            @Override
            public void onFailed(BusException failure) {
                if (failure.kind() == Kind.UNKNOWN_TOPIC && tries > 0) {
                    threads.execute(() -> make(topic, partition, record, tries, then));
                } else if (failure.retryable() && tries > 1) {
                    later(() -> append(topic, partition, record, tries - 1, then));
                } else {
                    then.accept(Failure.platform(Errors.UNAVAILABLE, failure.getMessage(), failure.retryable()));
                }
            }
        });
    }

    /** An application deployed before hosts were many has no such topic yet. */
    private void make(String topic, int partition, byte[] record, int tries, Consumer<Failure> then) {
        try {
            bus.createTopic(topic, slots.slots());
            append(topic, partition, record, tries - 1, then);
        } catch (BusException e) {
            then.accept(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), e.retryable()));
        }
    }

    private void later(Runnable task) {
        if (!clock.isShutdown()) {
            clock.schedule(task, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        threads.shutdown();
    }
}
