package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.Extent;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a sender is told: a queue that is full is something else than a bus that is. */
class QueuesTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final QueueSpec SHALLOW = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 1, 1, 3, null);

    private static BusException refusal(Queues queues, QueueSpec queue, int bytes) {
        Payload payload = Payload.json(("\"" + "x".repeat(bytes) + "\"").getBytes(StandardCharsets.UTF_8));
        return (BusException) queues.send("shop", queue, QueueMessage.of("m", "group", payload, 1)).handle((offset, e) -> e).join();
    }

    private static QueueMessage message(String id) {
        return QueueMessage.of(id, "group", Payload.json("1".getBytes(StandardCharsets.UTF_8)), 1);
    }

    private static BusException why(CompletableFuture<Long> sent) {
        return (BusException) sent.handle((offset, e) -> e).join();
    }

    private static Queues on(GlobalBus bus) {
        Queues queues = new Queues(bus, 2);
        queues.create("shop", SHALLOW.name());
        return queues;
    }

    @Test
    void aQueueTakesAsManyAsItsDepthAndThenSaysSo() {
        Queues queues = on(new MemoryBus());
        for (int i = 0; i < SHALLOW.depth(); i++) {
            assertThat(refusal(queues, SHALLOW, 10)).isNull();
        }
        BusException refused = refusal(queues, SHALLOW, 10);
        assertThat(refused.kind()).isEqualTo(Kind.TOO_MANY);
        assertThat(refused.retryable()).isTrue();
        assertThat(refused).hasMessageContaining("orders").hasMessageContaining("3 messages");
        assertThat(queues.depth("shop", "orders")).as("what was refused is not there").isEqualTo(3);
    }

    @Test
    void aBusWithoutRoomSaysThatItIsTheBus() {
        Queues queues = on(new MemoryBus(1_000, Integer.MAX_VALUE, Runnable::run));
        BusException refused = refusal(queues, SHALLOW, 2_000);
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused.retryable()).isTrue();
        assertThat(refusal(queues, SHALLOW, 10)).isNull();
    }

    @Test
    void whatCameIsCountedAlsoWhenItWaitsNoMore() {
        MemoryBus bus = new MemoryBus();
        Queues queues = on(bus);
        long first = queues.send("shop", SHALLOW, message("m1")).join();
        queues.send("shop", SHALLOW, message("m2")).join();
        int partition = bus.endOffset("queue.shop.orders", 0) > 0 ? 0 : 1;
        assertThat(queues.extents("shop", "orders").get(partition)).isEqualTo(new Extent(0, 2));
        bus.trim("queue.shop.orders", partition, first + 1);
        assertThat(queues.extents("shop", "orders").get(partition)).isEqualTo(new Extent(1, 2));
        assertThat(queues.depth("shop", "orders")).isEqualTo(1);
    }

    @Test
    void aSenderIsToldThatTheBusHasNotTakenItsMessageLongBeforeTheBusGivesUp() {
        Queue<Runnable> appends = new ConcurrentLinkedQueue<>();
        Queues queues = on(new MemoryBus(1_000_000, Integer.MAX_VALUE, appends::add));
        // It is asked first how much waits there, on a thread of its own: a busy machine takes a while for that.
        BusException late = why(queues.send("shop", SHALLOW, message("m1"), Duration.ofSeconds(2)));
        assertThat(late.kind()).isEqualTo(Kind.AWAY);
        assertThat(late.retryable()).isTrue();
        assertThat(late).hasMessageContaining("m1").hasMessageContaining("orders").hasMessageContaining("2000 ms")
                .hasMessageContaining("may be in the queue");
        CompletableFuture<Long> next = queues.send("shop", SHALLOW, message("m2"), Duration.ofSeconds(60));
        appends.forEach(Runnable::run);
        assertThat(next.join()).as("the first one is there too, as it was said").isEqualTo(1);
        assertThat(Queues.PATIENCE).isLessThan(KafkaBus.Options.of("localhost:9092").timeout())
                .isLessThan(Duration.ofMillis(GrainSpec.withDefaults("send").timeoutMs()));
    }

    @Test
    void aBusThatDoesNotSayHowMuchWaitsHoldsNobodyUpAndIsAskedOnce() throws Exception {
        CountDownLatch back = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        MemoryBus under = new MemoryBus();
        GlobalBus bus = (GlobalBus) Proxy.newProxyInstance(GlobalBus.class.getClassLoader(), new Class<?>[] {GlobalBus.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("endOffset") && back.getCount() > 0) {
                        asked.incrementAndGet();
                        back.await();
                    }
                    return method.invoke(under, arguments);
                });
        Queues queues = on(bus);
        for (int i = 0; i < 3; i++) {
            BusException away = why(queues.send("shop", SHALLOW, message("m" + i), SHORT));
            assertThat(away.kind()).isEqualTo(Kind.AWAY);
            assertThat(away).hasMessageContaining("does not answer").hasMessageContaining("queue.shop.orders");
        }
        assertThat(asked).as("who comes later finds the question under way").hasValue(1);
        back.countDown();
        assertThat(queues.send("shop", SHALLOW, message("m4"), Duration.ofSeconds(60)).join()).as("nothing was sent before").isZero();
    }

    @Test
    void whatMayBeSentAgainGoesWhereItsIdIsKnownAndWithItsGroupWhereItHasOne() {
        QueueSpec batching = new QueueSpec("lots", "work", 1, 10, 5, 3_000, 0, 1, 1, 1, 100, null);
        try (MemoryBus bus = new MemoryBus()) {
            Set<Integer> alone = new HashSet<>();
            Set<Integer> together = new HashSet<>();
            for (int turn = 0; turn < 2; turn++) { // the second time from another sender
                Queues queues = new Queues(bus, 16);
                queues.create("shop", "lots");
                for (int n = 0; n < 20; n++) {
                    Payload one = Payload.json("1".getBytes(StandardCharsets.UTF_8));
                    String id = "key-" + n;
                    queues.sendOnce("shop", batching, QueueMessage.of(id, null, one, 1), id, SHORT).join();
                    queues.sendOnce("shop", batching, QueueMessage.of(id + "-all", "all", one, 1), id, SHORT).join();
                }
            }
            Queues queues = new Queues(bus, 16);
            for (int partition = 0; partition < 16; partition++) {
                int here = partition;
                Map<String, Long> times = queues.read("shop", "lots", partition, 0, 1_000).messages().stream().map(Queues.Held::message)
                        .peek(message -> (message.group() == null ? alone : together).add(here))
                        .collect(Collectors.groupingBy(QueueMessage::id, Collectors.counting()));
                assertThat(times.values()).as("both times in one partition, which can tell").allMatch(count -> count == 2);
            }
            assertThat(together).containsExactly(queues.partitionOf("shop", "all"));
            assertThat(alone).as("a key has a partition of its own").hasSizeGreaterThan(5);
        }
    }
}
