package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBusContract.Collected;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker that is absent, dies, or stops answering. */
@Tag("slow")
class KafkaFaultTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than a broker takes to start on the busiest machine; nothing waits so long where it does not. */
    private static final Duration ABSENCE = Duration.ofMinutes(5);
    private static final int NEW_TOPICS = Integer.getInteger("sand.test.topics", 10);
    private static KafkaNode node;

    @BeforeAll
    static void start() {
        node = new KafkaNode(Map.of()).start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static KafkaBus bus(KafkaNode of, long backlogBytes, Duration timeout, String prefix) {
        return new KafkaBus(new KafkaBus.Options(of.bootstrap(), backlogBytes, 256 << 10, Duration.ofMillis(2), timeout, 0, prefix));
    }

    @Test
    void aBrokerThatIsAbsentIsWaitedForAndCallsFailByTheirDeadline() {
        try (KafkaNode absent = new KafkaNode(Map.of())) {
            KafkaBus.Options options = new KafkaBus.Options(absent.bootstrap(), 1 << 20, 1 << 18, Duration.ZERO, Duration.ofSeconds(2), 0, "");
            assertThatThrownBy(() -> KafkaBus.open(options, Duration.ofMillis(100))).isInstanceOf(BusException.class)
                    .hasMessageContaining(absent.bootstrap()).extracting(e -> ((BusException) e).kind()).isEqualTo(Kind.AWAY);
            try (KafkaBus bus = new KafkaBus(options)) {
                CompletableFuture<Long> offset = new CompletableFuture<>();
                bus.append("t", 0, new byte[1], GlobalBusContract.listener(offset));
                assertThat(offset).as("append does not wait").isNotDone();
                assertThatThrownBy(() -> bus.createTopic("t", 1)).extracting(e -> ((BusException) e).kind()).isEqualTo(Kind.AWAY);
                await().atMost(PATIENCE).until(offset::isDone);
                BusException away = (BusException) offset.exceptionNow();
                assertThat(away.kind()).isEqualTo(Kind.AWAY);
                assertThat(away.retryable()).isTrue();
                assertThat(bus.backlogBytes()).isZero();
                Collected seen = new Collected();
                bus.tail("t", 0, 0, seen);
                CompletableFuture<KafkaBus> opened = CompletableFuture.supplyAsync(() -> KafkaBus.open(options, PATIENCE));
                absent.start();
                opened.join().close();
                bus.createTopic("t", 1);
                CompletableFuture<Long> now = new CompletableFuture<>();
                bus.append("t", 0, GlobalBusContract.bytes("here"), GlobalBusContract.listener(now));
                assertThat(now.join()).isZero();
                await().atMost(PATIENCE).until(() -> seen.texts().equals(List.of("here")));
            }
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenTheBrokerIsKilledAndTheOrderIsKept() {
        try (KafkaBus bus = bus(node, 64 << 20, ABSENCE, "kill.")) {
            bus.createTopic("t", 2);
            Collected seen = new Collected();
            bus.tail("t", 0, 0, seen);
            Map<Long, Integer> acknowledged = new ConcurrentSkipListMap<>();
            List<String> failed = new CopyOnWriteArrayList<>();
            Semaphore ahead = new Semaphore(500);
            Thread appending = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20_000; i++) {
                    ahead.acquireUninterruptibly();
                    append(bus, i, acknowledged, failed, ahead);
                }
            });
            await().atMost(PATIENCE).until(() -> acknowledged.size() > 1000);
            node.kill();
            int before = acknowledged.size();
            node.start();
            await().atMost(ABSENCE).until(() -> acknowledged.size() > before + 1000);
            await().atMost(ABSENCE).until(() -> !appending.isAlive());
            await().atMost(ABSENCE.plus(PATIENCE)).untilAsserted(() ->
                    assertThat(acknowledged.size() + failed.size()).as("have an answer by their deadline").isEqualTo(20_000));
            assertThat(failed).as("the time-out is longer than the broker was away").isEmpty();
            await().atMost(PATIENCE).until(() -> seen.texts().size() == 20_000);
            List<String> stored = seen.texts();
            acknowledged.forEach((offset, number) -> assertThat(stored.get(offset.intValue())).isEqualTo("r" + number));
            assertThat(new ArrayList<>(acknowledged.values())).isEqualTo(sorted(acknowledged));
            assertThat(seen.offsets()).isEqualTo(new ArrayList<>(new TreeMap<>(acknowledged).keySet()));
            assertThat(GlobalBusContract.texts(bus.read("t", 0, 19_999, 10))).containsExactly("r19999");
        }
    }

    /** A broker may not know yet that it leads a partition, and say so of the first records, and no more of those behind them. */
    @Test
    void newTopicsTakeTheirFirstRecordsAndInTheirOrder() {
        try (KafkaBus bus = bus(node, 64 << 20, ABSENCE, "new.")) {
            for (int topic = 0; topic < NEW_TOPICS; topic++) {
                String name = "t" + topic;
                bus.createTopic(name, 3);
                List<CompletableFuture<Long>> offsets = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    CompletableFuture<Long> offset = new CompletableFuture<>();
                    bus.append(name, i % 3, GlobalBusContract.bytes("r" + i), GlobalBusContract.listener(offset));
                    offsets.add(offset);
                }
                await().atMost(PATIENCE).untilAsserted(() -> assertThat(offsets).allMatch(CompletableFuture::isDone));
                for (int i = 0; i < 300; i++) {
                    assertThat(offsets.get(i).join()).isEqualTo(i / 3);
                }
                bus.deleteTopic(name);
            }
        }
    }

    private static List<Integer> sorted(Map<Long, Integer> acknowledged) {
        List<Integer> numbers = new ArrayList<>(acknowledged.values());
        Collections.sort(numbers);
        return numbers;
    }

    private static void append(KafkaBus bus, int number, Map<Long, Integer> acknowledged, List<String> failed, Semaphore ahead) {
        bus.append("t", 0, ("r" + number).getBytes(StandardCharsets.UTF_8), new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {
                acknowledged.put(offset, number);
                ahead.release();
            }

            @Override
            public void onFailed(BusException failure) {
                failed.add(number + ": " + failure);
                ahead.release();
            }
        });
    }

    @Test
    void whileTheBrokerDoesNotAnswerTheBacklogFillsAndThenRefusesAtOnce() {
        try (KafkaBus bus = bus(node, 1 << 20, Duration.ofSeconds(40), "full.")) {
            bus.createTopic("t", 1);
            CompletableFuture<Long> first = new CompletableFuture<>();
            bus.append("t", 0, new byte[1], GlobalBusContract.listener(first));
            first.join();
            node.pause();
            List<CompletableFuture<Long>> taken = new ArrayList<>();
            BusException refused = null;
            while (refused == null) {
                CompletableFuture<Long> offset = new CompletableFuture<>();
                bus.append("t", 0, new byte[100_000], GlobalBusContract.listener(offset));
                if (offset.isCompletedExceptionally()) {
                    refused = (BusException) offset.exceptionNow();
                } else {
                    taken.add(offset);
                }
            }
            assertThat(refused.kind()).isEqualTo(Kind.FULL);
            assertThat(refused.retryable()).isTrue();
            assertThat(taken).hasSize(10).noneMatch(CompletableFuture::isDone);
            node.resume();
            assertThat(taken.stream().map(CompletableFuture::join)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
            await().until(() -> bus.backlogBytes() == 0);
        }
    }

    @Test
    void aTopicThatSomebodyElseDeletedIsSaidToBeUnknown() {
        try (KafkaBus bus = bus(node, 1 << 20, Duration.ofSeconds(6), "gone.");
                KafkaBus other = bus(node, 1 << 20, Duration.ofSeconds(20), "gone.")) {
            bus.createTopic("t", 1);
            bus.createTopic("stays", 1);
            CompletableFuture<Long> first = new CompletableFuture<>();
            bus.append("t", 0, new byte[1], GlobalBusContract.listener(first));
            first.join();
            Collected seen = new Collected();
            bus.tail("stays", 0, 0, seen);
            bus.tail("t", 0, 0, new Collected());
            other.deleteTopic("t");
            CompletableFuture<Long> lost = new CompletableFuture<>();
            bus.append("t", 0, new byte[1], GlobalBusContract.listener(lost));
            CompletableFuture<Long> stays = new CompletableFuture<>();
            bus.append("stays", 0, GlobalBusContract.bytes("other topics go on"), GlobalBusContract.listener(stays));
            assertThat(stays.join()).isZero();
            await().atMost(PATIENCE).until(() -> seen.texts().size() == 1);
            await().atMost(PATIENCE).until(lost::isDone);
            assertThat(((BusException) lost.exceptionNow()).kind()).isEqualTo(Kind.UNKNOWN_TOPIC);
            assertThatThrownBy(() -> bus.read("t", 0, 0, 1)).extracting(e -> ((BusException) e).kind()).isEqualTo(Kind.UNKNOWN_TOPIC);
        }
    }
}
