package dev.sand.hostagent.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.RequestRecord;
import dev.sand.event.Topics;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.journal.RecordAdapter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestsTailTest {
    private static final String ID = Ids.next(1_700_000_000_000L, new Random(1));
    private static final String TOPIC = Topics.requests("shop");
    private final MemoryBus bus = new MemoryBus();
    private final AtomicInteger refusals = new AtomicInteger(2);
    /** Does not say at first where a topic begins. */
    private final GlobalBus away = (GlobalBus) Proxy.newProxyInstance(GlobalBus.class.getClassLoader(), new Class<?>[] {GlobalBus.class},
            (proxy, method, arguments) -> {
                if (method.getName().equals("beginOffset") && refusals.getAndDecrement() > 0) {
                    throw new BusException(BusException.Kind.AWAY, "the bus is away", null);
                }
                try {
                    return method.invoke(bus, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    private final RecordAdapter records = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(),
            new Class<?>[] {RecordAdapter.class}, (proxy, method, arguments) -> false);

    @Test
    void whatCouldNotBeFollowedAtFirstIsFollowedLater() throws Exception {
        bus.createTopic(TOPIC, 1);
        InvocationRequest request = new InvocationRequest(ID, "shop", 1, "main", Payload.nullJson(), 60_000, true, null)
                .inProcess("cart-7");
        CompletableFuture<Long> appended = new CompletableFuture<>();
        bus.append(TOPIC, 0, RequestRecord.of(request).encode(), AppendFuture.completing(appended));
        appended.get(20, TimeUnit.SECONDS);
        BlockingQueue<InvocationRequest> begun = new LinkedBlockingQueue<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
            RequestsTail tail = new RequestsTail(away, TOPIC, 0, 1, threads, (given, listener) -> begun.add(given),
                    records, clock, System::currentTimeMillis);
            tail.open();
            while (refusals.get() >= 0) {
                tail.comeBy(true);
                Thread.onSpinWait();
            }
            InvocationRequest given = begun.poll(20, TimeUnit.SECONDS);
            assertThat(given).isNotNull();
            assertThat(given.executionId()).isEqualTo(ID);
            assertThat(given.processId()).as("it runs where it was asked to").isEqualTo("cart-7");
            tail.close();
        }
        bus.close();
    }

    /** Of an older frontend: its caller was told where the process lives, and may have begun it there under another id. */
    @Test
    void whatIsToRunInAProcessThatLivesElsewhereIsNotBegunWhenThatComesBack() throws Exception {
        bus.createTopic(TOPIC, 1);
        refusals.set(0);
        CompletableFuture<Long> appended = new CompletableFuture<>();
        bus.append(TOPIC, 0, RequestRecord.of(new InvocationRequest(ID, "shop", 1, "main", Payload.nullJson(), 60_000, true, null)
                .inProcess("cart-7")).encode(), AppendFuture.completing(appended));
        appended.get(20, TimeUnit.SECONDS);
        BlockingQueue<InvocationRecord> ended = new LinkedBlockingQueue<>();
        RecordAdapter keeping = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(),
                new Class<?>[] {RecordAdapter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("record")) {
                        ended.add((InvocationRecord) arguments[0]);
                        return null;
                    }
                    return false;
                });
        AtomicInteger begun = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
            RequestsTail tail = new RequestsTail(bus, TOPIC, 0, 1, threads, (given, listener) -> {
                begun.incrementAndGet();
                listener.onEnd(new InvocationResult(ID, InvocationResult.Status.FAILED, null, new Failure(Errors.MOVED, "it lives in slot 3",
                        Failure.Source.PLATFORM, true, null, Map.of(ProcessPlace.SLOT, 3)), List.of()));
            }, keeping, clock, System::currentTimeMillis);
            tail.open();
            tail.comeBy(true);
            InvocationRecord record = ended.poll(20, TimeUnit.SECONDS);
            assertThat(record).isNotNull();
            assertThat(record.failure().details()).containsEntry(Failure.MAY_HAVE_RUN, true);
            assertThat(begun).hasValue(1);
            tail.close();
        }
        bus.close();
    }
}
