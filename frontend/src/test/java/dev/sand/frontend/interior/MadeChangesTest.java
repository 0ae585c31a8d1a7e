package dev.sand.frontend.interior;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ControlPort.Asker;
import dev.sand.event.ControlPort.Call;
import dev.sand.event.ControlPort.Reply;
import dev.sand.event.Ids;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A grain that is run again asks for the same change: it is made once, or nothing is pretended. */
class MadeChangesTest {
    private static final Operations.Operation POST = operation("POST");
    private static final Operations.Operation PUT = operation("PUT");
    private static final Operations.Operation DELETE = operation("DELETE");
    private final MemoryStore store = new MemoryStore();
    private final AtomicInteger made = new AtomicInteger();

    private static Operations.Operation operation(String method) {
        return new Operations.Operation("change", method, "/x", Scope.DEPLOY, true, List.of(), false, false, "grain", false, Operations.Draws.NOTHING, false,
                new Operations.Account(Operations.Enters.NOBODY_ASKED, false, Set.of(), Set.of(), Operations.Session.STAYS));
    }

    private static Call call(String execution, String arguments) {
        return new Call("change", new Asker("operator", "default", Set.of("deploy"), null), "a/g", execution, arguments.getBytes());
    }

    /** As another program that has the same store. */
    private MadeChanges changes() {
        return new MadeChanges(store, () -> 1_000_000L);
    }

    private Reply change() {
        return new Reply(201, Integer.toString(made.incrementAndGet()).getBytes());
    }

    private Reply once(Operations.Operation operation, Call call) {
        return changes().once(operation, call, this::change);
    }

    private void lost(Operations.Operation operation, Call call) {
        assertThatThrownBy(() -> changes().once(operation, call, () -> {
            change();
            throw new IllegalStateException("the program ends here");
        })).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theSecondTryGetsTheFirstOnesAnswer() {
        Reply first = once(POST, call("e1", "{}"));
        Reply second = once(POST, call("e1", "{}"));
        assertThat(made).hasValue(1);
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void anotherExecutionAndOtherArgumentsAreOtherChanges() {
        once(POST, call("e1", "{}"));
        once(POST, call("e2", "{}"));
        once(POST, call("e1", "{\"body\": 1}"));
        assertThat(made).hasValue(3);
    }

    @Test
    void whatWasLostInTheMiddleIsNotMadeTwice() {
        lost(POST, call("e1", "{}"));
        Reply second = once(POST, call("e1", "{}"));
        assertThat(made).hasValue(1);
        assertThat(second.status()).isEqualTo(503);
        assertThat(new String(second.body())).contains("management-failed", "\"mayHaveRun\":true", "e1");
    }

    @Test
    void whatIsTheSameWhenItIsDoneTwiceIsDoneAgain() {
        lost(PUT, call("e1", "{}"));
        assertThat(once(PUT, call("e1", "{}")).status()).isEqualTo(201);
        assertThat(made).hasValue(2);
    }

    @Test
    void whatIsNotThereTheSecondTimeMayHaveBeenTakenAwayByTheFirst() {
        lost(DELETE, call("e1", "{}"));
        assertThat(changes().once(DELETE, call("e1", "{}"), () -> new Reply(404, new byte[0])).status()).isEqualTo(503);
    }

    /** A change that is noted under the numbers 1, 2, … as often as it is begun. */
    private class Noted implements MadeChanges.Change {
        private final List<String> written = new ArrayList<>();
        private int begun;

        private List<Write> note(String text) {
            return List.of(new Write("notes", "n", Integer.toString(begun), text.getBytes()));
        }

        @Override
        public List<Write> before() {
            begun++;
            return note("begun");
        }

        @Override
        public Reply make() {
            assertThat(noted(begun)).isEqualTo("begun");
            return change();
        }

        @Override
        public List<Write> after() {
            return note("ended");
        }

        @Override
        public void isWritten() {
            written.add(noted(begun));
        }
    }

    private String noted(int number) {
        return store.get("notes", "n", Integer.toString(number)).map(found -> new String(found.value())).orElse("nothing");
    }

    @Test
    void whatIsNotedOfAChangeIsThereBeforeItAndItsOutcomeAfterIt() {
        Noted noted = new Noted();
        changes().once(POST, call("e1", "{}"), noted);
        assertThat(noted.written).containsExactly("ended");
        changes().once(POST, call("e1", "{}"), noted);
        assertThat(noted(2)).as("nothing is made a second time").isEqualTo("nothing");
    }

    @Test
    void aChangeThatIsDoneAgainIsNotedAgain() {
        lost(PUT, call("e1", "{}"));
        Noted noted = new Noted();
        changes().once(PUT, call("e1", "{}"), noted);
        assertThat(noted.written).containsExactly("ended");
        assertThat(noted(2)).isEqualTo("ended");
        assertThat(made).hasValue(2);
    }

    @Test
    void whatCannotBeNotedIsNotMade() {
        store.put("notes", "n", "1", new byte[0], 0);
        assertThatThrownBy(() -> changes().once(PUT, call("e2", "{}"), new Noted() {
            @Override
            public List<Write> before() {
                return List.of(new Write("notes", "n", "1", new byte[0]));
            }
        })).isInstanceOf(StoreException.class);
        assertThat(made).hasValue(0);
    }

    @Test
    void whileTheFirstIsUnderWayTheSecondWaitsForIt() throws Exception {
        MadeChanges changes = changes();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Reply> first = CompletableFuture.supplyAsync(() -> changes.once(POST, call("e1", "{}"), () -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return change();
        }));
        begun.await();
        CompletableFuture<Reply> second = CompletableFuture.supplyAsync(() -> changes.once(POST, call("e1", "{}"), this::change));
        goOn.countDown();
        assertThat(second.get(10, TimeUnit.SECONDS).body()).isEqualTo(first.get(10, TimeUnit.SECONDS).body());
        assertThat(made).hasValue(1);
    }

    @Test
    void whatIsOlderThanAnyTicketIsForgotten() {
        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            once(POST, call(Ids.encode(1000 + i, random.nextInt(1 << 16), random.nextLong()), "{}"));
        }
        new MadeChanges(store, () -> 10_000_000_000L).once(POST, call(Ids.encode(10_000_000_000L, 1, 1), "{}"), this::change);
        long left = java.util.stream.IntStream.range(0, 8)
                .mapToLong(part -> store.keys("control-changes", "made/" + part, "", null, 100).size()).sum();
        assertThat(left).isEqualTo(1);
    }
}
