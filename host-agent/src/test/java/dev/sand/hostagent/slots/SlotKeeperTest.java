package dev.sand.hostagent.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.Ages;
import dev.sand.hostagent.journal.JournalAdapter.AppendListener;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.journal.RecordAdapter;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots that go and come back faster than they are taken. */
class SlotKeeperTest {
    private final SlotTable table = new SlotTable(fake(Membership.class, Map.of("slots", _ -> 2, "mayAct", _ -> true, "mayGoOn", _ -> true)));
    private final BlockingQueue<CompletableFuture<Void>> untold = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> ready = new LinkedBlockingQueue<>();
    private final BlockingQueue<Appended> appended = new LinkedBlockingQueue<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final List<Input> given = new CopyOnWriteArrayList<>();
    /** What the journals have, and what happens while the record of one of them is looked at. */
    private List<Unfinished> left = List.of();
    private Runnable whileLookedAt = () -> { };
    private IntConsumer unclaimed;
    private final SlotKeeper keeper = new SlotKeeper(table, new HeldShards(), fake(JournalAdapter.class, Map.of(
            "onUnclaimed", arguments -> {
                unclaimed = (IntConsumer) arguments[0];
                return null;
            },
            "take", arguments -> {
                taken.incrementAndGet();
                if (!((BooleanSupplier) arguments[2]).getAsBoolean()) {
                    throw new IllegalStateException("not ours now");
                }
                return new JournalAdapter.Left(left, List.of());
            },
            "append", arguments -> {
                appended.add(new Appended((Entry) arguments[0], (AppendListener) arguments[1]));
                return null;
            },
            "leave", _ -> null)), fake(RecordAdapter.class, Map.of("endedOrFenced", _ -> {
                whileLookedAt.run();
                return false;
            })), new SlotKeeper.ReadyListener() {
                @Override
                public void onReady(int slot, long epoch) {
                    ready.add(epoch);
                }

                @Override
                public void onGone(int slot, long epoch) {}
            }, failure -> { });

    /** Takes notice of a slot that is given when the test says so, and of nothing else late. */
    private final class HeldShards implements Shards {
        @Override
        public void submit(String application, Input input) {
            given.add(input);
        }

        @Override
        public CompletableFuture<Void> submitAll(Input input) {
            if (!(input instanceof Input.SlotAcquired)) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> told = new CompletableFuture<>();
            untold.add(told);
            return told;
        }
    }

    private interface Answer {
        Object to(Object[] arguments);
    }

    private static <T> T fake(Class<T> type, Map<String, Answer> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            Answer answer = answers.get(method.getName());
            if (answer == null) {
                throw new AssertionError("nobody asks for " + method);
            }
            return answer.to(arguments);
        }));
    }

    @AfterEach
    void close() {
        keeper.close();
    }

    private long nextReady() throws InterruptedException {
        Long epoch = ready.poll(20, TimeUnit.SECONDS);
        assertThat(epoch).as("a slot that is ready").isNotNull();
        return epoch;
    }

    @Test
    void aSlotGivenAgainIsTakenThoughItsJournalsAreLookedAtMeanwhile() throws Exception {
        keeper.onAcquired(1, 5);
        untold.take().complete(null);
        assertThat(nextReady()).isEqualTo(5);
        keeper.onLost(1, 5);
        keeper.onAcquired(1, 7); // the shards do not know of it yet
        int before = taken.get();
        unclaimed.accept(1);
        // As the look at its journals once did: it waited, in the slot's turn, for the one who was to have the next turn.
        await().during(1, TimeUnit.SECONDS).atMost(20, TimeUnit.SECONDS).until(() -> taken.get() == before);
        untold.take().complete(null);
        long next = nextReady();
        while (next == 5) {
            next = nextReady();
        }
        assertThat(next).isEqualTo(7);
        assertThat(table.holds(1, 7)).isTrue();
    }

    private static Unfinished unfinished(int number) {
        return new Unfinished(new InvocationRequest(Ids.encode(1_000, number, 0), "app", 1, "g", Payload.nullJson(), 1_000, false, null),
                List.of(), 1, Map.of(), new Ages(0, List.of(), 0, 0), null);
    }

    private record Appended(Entry entry, AppendListener listener) {}

    private Appended nextAppended() throws InterruptedException {
        Appended next = appended.poll(20, TimeUnit.SECONDS);
        assertThat(next).as("a record for the journal").isNotNull();
        return next;
    }

    /** Whoever asks for it again begins it, behind its mark: no shard takes it for one that has ended. */
    @Test
    void whatIsNothingIsMarkedSoBeforeItsSlotIsReady() throws Exception {
        InvocationRequest request = unfinished(1).request();
        left = List.of(new Unfinished(request.withInput(request.input().notKept()), List.of(), 1, Map.of(), new Ages(0, List.of(), 0, 0), null));
        keeper.onAcquired(1, 5);
        untold.take().complete(null);
        Appended mark = nextAppended();
        assertThat(mark.entry().backup()).isInstanceOf(Backup.Ended.class);
        assertThat(mark.entry().await().isTold()).isTrue();
        mark.listener().onAppended(Failure.platform(Errors.UNAVAILABLE, "the bus is away", true));
        Appended again = nextAppended();
        assertThat(ready).isEmpty();
        again.listener().onAppended(null);
        assertThat(nextReady()).isEqualTo(5);
        assertThat(given).isEmpty();
    }

    @Test
    void aSlotThatGoesMeanwhileIsItsNextOwnersToMarkIn() throws Exception {
        InvocationRequest request = unfinished(1).request();
        left = List.of(new Unfinished(request.withInput(request.input().notKept()), List.of(), 1, Map.of(), new Ages(0, List.of(), 0, 0), null));
        keeper.onAcquired(1, 5);
        untold.take().complete(null);
        nextAppended();
        keeper.onLost(1, 5);
        keeper.onAcquired(1, 7);
        untold.take().complete(null);
        Appended mark = nextAppended();
        assertThat(mark.entry().epoch()).isEqualTo(7);
        mark.listener().onAppended(null);
        assertThat(nextReady()).isEqualTo(7);
    }

    /** What was read before is what another host has perhaps ended since. */
    @Test
    void whatWasReadUnderAnEarlierEpochIsGivenAsThat() throws Exception {
        left = List.of(unfinished(1), unfinished(2));
        whileLookedAt = () -> {
            whileLookedAt = () -> { };
            keeper.onLost(1, 5);
            keeper.onAcquired(1, 7);
        };
        keeper.onAcquired(1, 5);
        untold.take().complete(null);
        CompletableFuture<Void> again = untold.take();
        await().until(() -> !given.isEmpty());
        assertThat(given).as("of which the shards know that it is an earlier owner's; and the second is not looked at any more")
                .singleElement().isInstanceOfSatisfying(Input.Taken.class, early -> assertThat(early.epoch()).isEqualTo(5));
        again.complete(null);
        assertThat(nextReady()).isEqualTo(7);
        assertThat(given.subList(1, given.size())).hasSize(2).allSatisfy(each -> assertThat(((Input.Taken) each).epoch()).isEqualTo(7));
    }

    @Test
    void anEarlierGiftThatIsTakenLateChangesNothing() throws Exception {
        keeper.onAcquired(0, 3);
        CompletableFuture<Void> early = untold.take();
        keeper.onLost(0, 3);
        keeper.onAcquired(0, 4);
        untold.take().complete(null);
        assertThat(nextReady()).isEqualTo(4);
        early.complete(null);
        await().during(300, TimeUnit.MILLISECONDS).until(() -> table.holds(0, 4));
        assertThat(table.act(0, 3)).isFalse();
        assertThat(table.holds(0, 4)).isTrue();
    }
}
