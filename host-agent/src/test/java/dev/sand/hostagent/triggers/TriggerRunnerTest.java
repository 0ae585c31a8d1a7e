package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.TriggerStore.Pending;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.QueueMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Messages of queues, from the partition to the grain. */
class TriggerRunnerTest extends TriggerRunnerFixture {
    /** As other programs write, and some that begin as ours do. */
    private static final List<String> FOREIGN = List.of("", "not ours", "[]", "{\"order\":7}", "{\"schema\":1}",
            "{\"schema\":1,\"id\":\"x\",\"enqueuedMs\":1}", "{\"schema\":1,\"order\":7}");

    /** A host that keeps all its slots, under one epoch, whether it hears the group or not. */
    private static Ownership heardWhen(AtomicBoolean heard) {
        return new Ownership() {
            @Override
            public int slots() {
                return SLOTS;
            }

            @Override
            public long epoch(int slot) {
                return 1;
            }

            @Override
            public boolean mayAct() {
                return heard.get();
            }
        };
    }

    @Test
    void eachGroupIsWorkedOffInOrderAndItsMessagesAreForgotten() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3");
        send(queue, "b", "10", "20", "30");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 6);
        assertThat(host.inputs("work").stream().filter(text -> text.length() == 1)).containsExactly("1", "2", "3");
        assertThat(host.inputs("work").stream().filter(text -> text.length() == 2)).containsExactly("10", "20", "30");
        await().until(() -> queues.depth("shop", "orders") == 0);
    }

    @Test
    void messagesThatComeDueWhileTheGroupIsNotHeardAreDeliveredWhenItIs() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        AtomicBoolean heard = new AtomicBoolean(true);
        FakeHost host = start(request -> null, heardWhen(heard));
        send(queue, "a", "1");
        await().until(() -> queues.depth("shop", "orders") == 0);
        heard.set(false);
        for (int group = 0; group < 12; group++) { // more than may run at once: none of them takes a place for good
            send(queue, "g" + group, "2" + group);
        }
        await().during(300, TimeUnit.MILLISECONDS).until(() -> host.requests.size() == 1);
        heard.set(true);
        await().until(() -> host.requests.size() == 13 && queues.depth("shop", "orders") == 0);
    }

    @Test
    void anApplicationThatIsDeletedAndDeployedAgainHasItsQueuesAnew() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3");
        FakeHost host = start(request -> null);
        await().until(() -> queues.depth("shop", "orders") == 0 && host.requests.size() == 3);
        queues.deleteApplication("shop");
        triggers.deleteApplication("shop");
        send(queue, "a", "4", "5");
        await().until(() -> host.requests.size() == 5);
        assertThat(host.inputs("work")).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void whatSomebodyElseWroteIsPassedOverAndANewerMessageStopsItsPartition() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of("beat", every(3_600_000, true)));
        queues.create("shop", "orders");
        queues.create("shop", "beat");
        litter("queue.shop.beat", queues.partitionOf("shop", "beat"), FOREIGN);
        // Its host died in the middle of a fire: whoever comes looks through what is in the queue.
        long sinceMs = System.currentTimeMillis() - 3_600_000 - 60_000;
        triggers.putSchedule("shop", "beat", new ScheduleState((short) 1, "every 3600000 ms", true, sinceMs, 0,
                new Pending(sinceMs + 3_600_000, 0)), GlobalStore.ABSENT);
        int partition = queues.partitionOf("shop", "a");
        litter("queue.shop.orders", partition, FOREIGN);
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 3 && queues.depth("shop", "orders") == 0);
        litter("queue.shop.orders", partition, List.of("{\"schema\":99,\"id\":\"m3\"}"));
        send(queue, "a", "4");
        String other = Stream.iterate(0, n -> n + 1).map(Object::toString)
                .filter(group -> queues.partitionOf("shop", group) != partition).findFirst().orElseThrow();
        send(queue, other, "5");
        await().until(() -> host.inputs("work").contains("5"));
        assertThat(host.inputs("work")).contains("1", "2").doesNotContain("4");
        assertThat(queues.depth("shop", "orders")).as("the newer one and what follows are kept").isEqualTo(2);
    }

    private void litter(String topic, int partition, List<String> records) {
        for (String record : records) {
            bus.append(topic, partition, record.getBytes(StandardCharsets.UTF_8), AppendFuture.completing(new CompletableFuture<>()));
        }
    }

    @Test
    void whatWaitsIsMeasuredWithItsAgeWhetherItWasReadOrNot() {
        QueueSpec one = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 10, 10_000, 100_000, null);
        deploy(Map.of("orders", one), Map.of());
        int messages = 2 * QueueRun.MOST_HELD + 500;
        long sentMs = System.currentTimeMillis() - 60_000;
        queues.create("shop", "orders");
        int partition = queues.partitionOf("shop", "a");
        for (int i = 0; i < messages; i++) {
            queues.append("shop", "orders", partition, QueueMessage.of("m" + i, "a", Payload.nullJson(), sentMs),
                    AppendFuture.completing(new CompletableFuture<>()));
        }
        FakeHost host = start(request -> FakeHost.HOLD);
        await().until(() -> host.requests.size() == 1);
        await().untilAsserted(() -> assertThat(measured("orders").depth()).isEqualTo(messages));
        assertThat(measured("orders").oldestMs()).isGreaterThanOrEqualTo(60_000);
        assertThat(measured("orders").deliveries()).isEqualTo(1);
    }

    @Test
    void messagesOfABatchComeTogether() {
        QueueSpec queue = queue(1, 3, 0, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3", "4");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 2);
        assertThat(host.inputs("work").get(0)).contains("\"payload\":1", "\"payload\":2", "\"payload\":3");
        assertThat(host.inputs("work").get(1)).startsWith("[{\"id\":\"m4\",\"group\":\"a\"");
    }

    @Test
    void aFullQueueIsRefusedWithItsDepth() {
        QueueSpec shallow = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 1, 1, 3, null);
        start(request -> null);
        assertThatThrownBy(() -> send(shallow, "a", IntStream.range(0, 100_000).mapToObj(String::valueOf).toArray(String[]::new)))
                .hasMessageContaining("has 3 messages waiting");
    }
}
