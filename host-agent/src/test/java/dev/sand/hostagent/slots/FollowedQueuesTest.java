package dev.sand.hostagent.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.work.QueueTails;
import dev.sand.hostagent.work.RemoteWork;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The queues of a slot are followed for as long as it is ours, however a look at them and its loss come together. */
class FollowedQueuesTest {
    private static final String TOPIC = Topics.requests("shop");
    private final Membership membership = fake(Membership.class);
    private final SlotTable table = new SlotTable(membership);
    private final MemoryBus bus = new MemoryBus();
    private final AtomicInteger followed = new AtomicInteger();
    private volatile Runnable onTopics = () -> { };
    private volatile Runnable onLeave = () -> { };
    private final RemoteWork remote = new RemoteWork(bus, membership, table, null, null);
    private final QueueTails tails = new QueueTails(watched(), table, null, null, null, remote, (request, listener) -> { });
    private final SlotKeeper keeper = new SlotKeeper(table, new Shards() {
        @Override
        public void submit(String application, Input input) {}

        @Override
        public CompletableFuture<Void> submitAll(Input input) {
            return CompletableFuture.completedFuture(null);
        }
    }, fake(JournalAdapter.class), fake(RecordAdapter.class), tails, failure -> { });

    /** Counts the tails that are open. */
    private GlobalBus watched() {
        return (GlobalBus) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalBus.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("topics")) {
                onTopics.run();
            }
            Object answer;
            try {
                answer = method.invoke(bus, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (!(answer instanceof GlobalBus.Tail tail)) {
                return answer;
            }
            followed.incrementAndGet();
            return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {GlobalBus.Tail.class}, (own, call, given) -> {
                if (call.getName().equals("close")) {
                    followed.decrementAndGet();
                }
                return call.invoke(tail, given);
            });
        });
    }

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) ->
                switch (method.getName()) {
                    case "slots" -> 2;
                    case "mayAct", "mayGoOn" -> true;
                    case "take" -> new JournalAdapter.Left(List.of(), List.of());
                    case "leave" -> {
                        onLeave.run();
                        yield null;
                    }
                    default -> null;
                }));
    }

    private void isFollowed(int queues) {
        Awaitility.await().until(() -> followed.get() == queues);
    }

    @AfterEach
    void close() {
        keeper.close();
        tails.close();
        remote.close();
        bus.close();
    }

    @Test
    void aSlotThatIsLostWhileItsQueuesAreLookedForIsNotFollowed() {
        bus.createTopic(TOPIC, 2);
        table.give(1, 5);
        tails.onReady(1, 5);
        isFollowed(1);
        tails.onGone(1, 5);
        isFollowed(0);
        table.give(0, 6);
        AtomicInteger asked = new AtomicInteger();
        onTopics = () -> {
            asked.incrementAndGet();
            table.lose(0);
            tails.onGone(0, 6);
        };
        Awaitility.await().until(() -> {
            tails.onReady(0, 6);
            return asked.get() > 0;
        });
        isFollowed(0);
    }

    @Test
    void aSlotThatIsLookedAtWhileItIsGivenUpIsNotFollowedAfterwards() {
        bus.createTopic(TOPIC, 2);
        keeper.onAcquired(1, 5);
        isFollowed(1);
        AtomicInteger between = new AtomicInteger();
        onLeave = () -> {
            Awaitility.await().until(() -> followed.get() == 1); // followed again, by the look that comes each second
            between.incrementAndGet();
        };
        keeper.onReleased(1, 5);
        assertThat(between).hasValue(1);
        isFollowed(0);
    }

    @Test
    void whatIsSaidLateOfAnEarlierLossLeavesTheQueuesOfALaterEpochAlone() {
        bus.createTopic(TOPIC, 2);
        table.give(1, 7);
        tails.onReady(1, 7);
        isFollowed(1);
        tails.onGone(1, 5);
        Awaitility.await().during(Duration.ofMillis(200)).until(() -> followed.get() == 1);
    }
}
