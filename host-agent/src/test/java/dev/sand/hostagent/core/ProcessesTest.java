package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.EPOCH;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Functions that run in cloud processes of one host: what they see of each other, and what is left of those that fail. */
class ProcessesTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of(
            "sum", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 100, false),
            "atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));

    ProcessesTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).with(grain("sum", 10, 100, Isolation.REQUEST))
                .with(grain("atomic", 10, 100, Isolation.REQUEST)).warm());
    }

    private static ProcessCall.Receive receive(long waitMs) {
        return new ProcessCall.Receive(null, "k", waitMs);
    }

    // --- state

    @Test
    void whatAFunctionWroteTheNextOneSees() {
        finish(running("p"), write("a", "1"));
        assertThat(state(running("p"), "a")).isEqualTo("1");
        assertThat(state(running("q"), "a")).as("another process").isNull();
    }

    @Test
    void writesOfAFunctionThatFailsOrIsLostAreGone() {
        Running fails = running("p");
        call(fails, new ProcessCall.Write(List.of(write("a", "1"))));
        shop.fail(fails, "Boom");
        Running lost = running("p");
        call(lost, new ProcessCall.Write(List.of(write("a", "2"))));
        shop.exited(lost, 1, 9);
        assertThat(state(running("p"), "a")).isNull();
    }

    @Test
    void whatAFunctionTookWhoseWorkerIsLostItsNextRunTakes() {
        Running lost = running("p");
        call(running("q"), send(0, "p", "1"));
        call(lost, new ProcessCall.Write(List.of(write("a", "2"))));
        assertThat(received(lost)).isEqualTo("1");
        String worker = shop.core().context().application(APP).grain("g").worker().id();
        on(new Input.WorkerExited(APP, worker, "killed"));
        shop.settle();
        shop.after(1_000);
        shop.settle();
        Running again = shop.running(lost.eventId().substring(0, lost.eventId().indexOf('/')));
        assertThat(again.attempt()).isEqualTo(lost.attempt() + 1);
        assertThat(state(again, "a")).isNull();
        assertThat(received(again)).isEqualTo("1");
    }

    @Test
    void aCallOfAnAttemptThatEndedIsRefused() {
        Running done = running("p");
        finish(done);
        assertThat(call(done, send(0, "p", "1"))).isInstanceOf(Answer.Refused.class);
        assertThat(received(running("p"))).isNull();
    }

    @Test
    void stateOverItsBoundFailsTheFunction() {
        Running running = running("p");
        byte[] large = new byte[1 << 20];
        List<StateWrite> writes = new ArrayList<>();
        for (int i = 0; i <= ProcessSpec.DEFAULT.mostStateBytes() >> 20; i++) {
            writes.add(new StateWrite("k" + i, Payload.json(large)));
        }
        assertThat(call(running, new ProcessCall.Write(writes))).isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.error()).isEqualTo(Errors.TOO_LARGE));
        finish(running, writes.toArray(StateWrite[]::new));
        assertThat(shop.answer().failure().error()).isEqualTo(Errors.TOO_LARGE);
    }

    // --- messages

    @Test
    void aMessageReachesAFunctionThatWaitsForIt() {
        Running waits = running("q");
        ask(waits, receive(1_000));
        assertThat(told).isEmpty();
        call(running("p"), send(0, "q", "1"));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Received.class, message -> {
            assertThat(message.source()).isEqualTo("p");
            assertThat(text(message.payload())).isEqualTo("1");
        });
    }

    @Test
    void whoWaitsInVainIsToldSo() {
        ask(running("q"), receive(1_000));
        shop.after(999);
        deliver();
        assertThat(told).isEmpty();
        shop.after(2);
        deliver();
        assertThat(told).containsExactly(new Answer.Nothing());
    }

    @Test
    void messagesOfAFunctionThatFailedAreReadInTheirOrderAgain() {
        Running receiver = running("q");
        Running sender = running("p");
        call(sender, send(0, "q", "1"));
        call(sender, send(1, "q", "2"));
        assertThat(received(receiver)).isEqualTo("1");
        shop.fail(receiver, "Boom");
        Running next = running("q");
        assertThat(List.of(received(next), received(next))).containsExactly("1", "2");
        finish(next);
        assertThat(received(running("q"))).isNull();
    }

    @Test
    void aRepeatedSendIsTakenOnce() {
        running("q");
        Running sender = running("p");
        assertThat(call(sender, send(0, "q", "1"))).isEqualTo(new Answer.Done());
        assertThat(call(sender, send(0, "q", "1"))).isEqualTo(new Answer.Done());
        assertThat(((ProcessView) command("q", Kind.DESCRIBE)).unread()).isEqualTo(1);
    }

    @Test
    void whoSendsToNobodyIsToldSo() {
        assertThat(call(running("p"), send(0, "nobody", "1"))).isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.error()).isEqualTo(Errors.NOT_FOUND));
    }

    @Test
    void whoSendsToAFullMailboxWaitsForRoom() {
        Running sender = running("p");
        running("q");
        for (int i = 0; i < ProcessSpec.DEFAULT.mailboxMessages(); i++) {
            call(sender, send(i, "q", "1"));
        }
        assertThat(call(sender, send(10_000, "q", "1"))).isInstanceOf(Answer.Refused.class);
        ask(sender, new ProcessCall.Send(10_001, "q", "k", json("last"), 500));
        Running reader = running("q");
        received(reader);
        assertThat(told).isEmpty();
        finish(reader);
        assertThat(told).containsExactly(new Answer.Done());
    }

    @Test
    void sendsOfAnAtomicFunctionCountWhenItEndsWell() {
        running("q");
        Running fails = shop.running(invoke("p", "atomic"));
        call(fails, send(0, "q", "1"));
        shop.fail(fails, "Boom");
        Running atomic = shop.running(invoke("p", "atomic"));
        call(atomic, send(0, "q", "2"));
        Running reader = running("q");
        assertThat(received(reader)).isNull();
        finish(atomic);
        assertThat(received(reader)).isEqualTo("2");
    }

    @Test
    void messagesOfOneKeyInvokeTheFunctionThatWaitsForThem() {
        running("q");
        call(running("p"), new ProcessCall.Send(0, "q", "invoke:sum:x", json("1"), 0));
        call(running("r"), new ProcessCall.Send(0, "q", "invoke:sum:y", json("2"), 0));
        assertThat(joins).isEmpty();
        call(running("s"), new ProcessCall.Send(0, "q", "invoke:sum:x", json("3"), 0));
        assertThat(joins).hasSize(1);
        assertThat(joins.getFirst().values().stream().map(CoreFixture::text)).containsExactly("1", "3");
        shop.on(new Input.Joined(joins.getFirst(), json("[1,3]")));
        Action.Journal accepted = shop.of(Action.Journal.class).getFirst();
        assertThat(accepted.carried().change().change()).isInstanceOf(Change.Fired.class);
        shop.settle();
        Action.HandOver over = shop.settled.stream().filter(Action.HandOver.class::isInstance).map(Action.HandOver.class::cast)
                .filter(each -> each.executionId().equals(accepted.executionId())).findFirst().orElseThrow();
        assertThat(over.process()).isEqualTo("q/x");
        assertThat(text(over.payload())).isEqualTo("[1,3]");
        shop.after(101);
        deliver();
        assertThat(joins.getLast().values().stream().map(CoreFixture::text)).as("its time-out has passed").containsExactly("2");
    }

    /** Off the shard, the first of a platform takes longer than those that follow. */
    @Test
    void whatIsJoinedLaterIsNotOvertakenByWhatIsBehindItInItsKey() {
        running("q");
        Running sender = running("p");
        String[] keys = {"x", "x", "x", "x", "y", "y"};
        for (int i = 0; i < keys.length; i++) {
            call(sender, new ProcessCall.Send(i, "q", "invoke:sum:" + keys[i], json("" + i), 0));
        }
        assertThat(joins).hasSize(3);
        List.of(1, 2, 0).forEach(at -> on(new Input.Joined(joins.get(at), json("\"join " + at + '"'))));
        assertThat(journal.stream().filter(record -> record.carried() != null && record.carried().change().change() instanceof Change.Fired)
                .map(record -> text(((Backup.Accepted) record.backup()).request().input())))
                .containsExactly("\"join 2\"", "\"join 0\"", "\"join 1\"");
    }

    /** A later version, that has one function more, with a trigger. */
    private ApplicationVersion deployed() {
        ApplicationVersion first = shop.version();
        Map<String, GrainSpec> grains = new HashMap<>(first.grains());
        grains.put("new", grain("new", 10, 100, Isolation.REQUEST));
        ProcessSpec processes = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 1_000, 600_000,
                Map.of("new", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 0, false)));
        return new ApplicationVersion(first.schema(), first.application(), first.version() + 1, "bundle", null, first.sandbox(), grains,
                first.workflows(), List.of(), first.placements(), first.durability(), 0, Map.of(), Map.of(), processes);
    }

    private void bring(int version, int ordinal, String key, String body) {
        on(new Input.Deliver(new ProcessMessage(APP.application(), version, "far/e", ordinal, "far", "q", key, json(body), 0), failure -> { }));
    }

    @Test
    void messagesOfALaterVersionInvokeItsFunctionsByItsTriggers() {
        running("q");
        ApplicationVersion second = deployed();
        bring(second.version(), 0, "invoke:new:x", "1");
        on(new Input.ApplicationLoaded(new Input.AppKey(APP.application(), second.version()), second, null));
        shop.after(1);
        assertThat(journal).as("one is not enough").noneMatch(record -> record.carried() != null
                && record.carried().change().change() instanceof Change.Fired);
        bring(second.version(), 1, "invoke:new:x", "2");
        assertThat(joins).singleElement().satisfies(join -> assertThat(join.values()).extracting(CoreFixture::text).containsExactly("1", "2"));
    }

    @Test
    void whatAFunctionThatEndedStillWaitedToSendIsNotSent() {
        running("q");
        Running fills = running("p");
        for (int i = 0; i < ProcessSpec.DEFAULT.mailboxMessages(); i++) {
            call(fills, send(i, "q", "1"));
        }
        Running gone = shop.running(invoke("p", "atomic"));
        ask(gone, new ProcessCall.Send(0, "q", "k", json("late"), 5_000));
        shop.fail(gone, "Boom");
        Running reader = running("q");
        received(reader);
        finish(reader);
        assertThat(told).isEmpty();
        assertThat(call(fills, send(10_000, "q", "1"))).as("nobody keeps the room").isEqualTo(new Answer.Done());
    }

    // --- a heap that is full

    @Test
    void smallValuesAreNotTakenWhileTheHeapIsFullAndLargeOnesAre() {
        Running writes = running("p");
        on(new Input.HeapFull(true));
        assertThat(call(writes, new ProcessCall.Write(List.of(new StateWrite("a", json("1")))))).isInstanceOfSatisfying(Answer.Refused.class,
                refused -> assertThat(refused.error()).isEqualTo(Errors.UNAVAILABLE));
        Payload large = new Payload(Payload.OCTETS, null, new Payload.Reference("o", 100_000));
        assertThat(call(writes, new ProcessCall.Write(List.of(new StateWrite("a", large))))).isEqualTo(new Answer.Done());
        assertThat(call(writes, new ProcessCall.Write(List.of(new StateWrite("b", null))))).as("that makes room").isEqualTo(new Answer.Done());
        on(new Input.HeapFull(false));
        assertThat(call(writes, new ProcessCall.Write(List.of(new StateWrite("a", json("1")))))).isEqualTo(new Answer.Done());
    }

    @Test
    void anEndWaitsForRoomInTheHeap() {
        Running writes = running("p");
        on(new Input.HeapFull(true));
        finish(writes, write("a", "1"));
        assertThat(state(running("p"), "a")).isNull();
        on(new Input.HeapFull(false));
        shop.after(1);
        assertThat(state(running("p"), "a")).isEqualTo("1");
    }

    @Test
    void aMessageWaitsForRoomInTheHeap() {
        Running reads = running("q");
        Running sends = running("p");
        on(new Input.HeapFull(true));
        ask(sends, new ProcessCall.Send(0, "q", "k", json("1"), 5_000));
        ask(sends, new ProcessCall.Send(1, "q", "k", json("2"), 0));
        assertThat(told).singleElement().isInstanceOfSatisfying(Answer.Refused.class, refused -> {
            assertThat(refused.error()).isEqualTo(Errors.OVERLOADED);
            assertThat(refused.message()).contains("memory of this host agent is full");
        });
        assertThat(received(reads)).isNull();
        on(new Input.HeapFull(false));
        assertThat(received(reads)).isEqualTo("1");
    }

    // --- life

    @Test
    void moreFunctionsThanAProcessMayRunWaitInOrder() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i <= ProcessSpec.DEFAULT.concurrency(); i++) {
            all.add(invoke("p"));
        }
        assertThat(shop.running(all.getLast())).isNull();
        finish(shop.running(all.getFirst()));
        shop.settle();
        assertThat(shop.running(all.getLast())).isNotNull();
    }

    @Test
    void whatHasEndedInAProcessIsCountedAndWhatHasFailed() {
        finish(running("p"));
        shop.fail(running("p"), "Boom");
        finish(running("p"));
        ProcessView view = (ProcessView) command("p", Kind.DESCRIBE);
        assertThat(view.invocations() + " " + view.failures()).isEqualTo("3 1");
    }

    @Test
    void aProcessIsIdleWhenNothingRanForAWhile() {
        finish(running("p"));
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("active");
        shop.after(ProcessSpec.DEFAULT.idleMs() + 1);
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("idle");
        running("p");
        assertThat(((ProcessView) command("p", Kind.DESCRIBE)).status()).isEqualTo("active");
    }

    @Test
    void makingOneThatIsThereIsAConflictThatNamesItsState() {
        assertThat(command("p", Kind.CREATE)).isInstanceOf(ProcessView.class);
        assertThat(command("p", Kind.CREATE)).isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.error()).isEqualTo(Errors.CONFLICT);
            assertThat(failure.cause()).contains("is active");
        });
    }

    @Test
    void soIsOneThatAnotherMadeWhileTheApplicationWasRead() {
        shop = new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST));
        List<Object> first = new ArrayList<>();
        List<Object> second = new ArrayList<>();
        for (List<Object> answers : List.of(first, second)) {
            on(new Input.Command(new ProcessCommand(APP.application(), APP.version(), "p", Kind.CREATE), listener(answers)));
            assertThat(answers).as("it is being read").isEmpty();
        }
        on(new Input.ApplicationLoaded(APP, shop.version(), null));
        assertThat(first).singleElement().isInstanceOf(ProcessView.class);
        assertThat(second).singleElement().isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.CONFLICT));
    }

    @Test
    void aKilledProcessEndsWhatRunsInItAndStartsClean() {
        finish(running("p"), write("a", "1"));
        invoke("p");
        command("p", Kind.KILL);
        assertThat(shop.all).filteredOn(Action.Respond.class::isInstance).map(action -> ((Action.Respond) action).result().status())
                .contains(Status.CANCELLED);
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOf(Failure.class);
        assertThat(state(running("p"), "a")).isNull();
    }

    @Test
    void aFunctionInvokesAnotherAndHasItsResult() {
        running("q");
        Running caller = running("p");
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        Action.Journal accepted = shop.of(Action.Journal.class).getLast();
        shop.on(new Input.Journaled(accepted.executionId(), 0, null));
        shop.after(1);
        deliver();
        assertThat(told).containsExactly(new Answer.Invoked(accepted.executionId()));
        shop.settle();
        ask(caller, new ProcessCall.Result(accepted.executionId(), 1_000));
        finish(shop.running(accepted.executionId()));
        shop.after(1);
        deliver();
        assertThat(told.getLast()).isInstanceOfSatisfying(Answer.Outcome.class, outcome -> assertThat(text(outcome.output())).isEqualTo("0"));
    }

    /** Its memory is another's a few seconds behind its end, and one that came from a journal never had it in memory. */
    @Test
    void aLargeOutputIsNotTakenToBeInMemoryForLong() {
        running("q");
        Running caller = running("p");
        ask(caller, new ProcessCall.Invoke(0, "q", "g", json("2")));
        String invoked = shop.of(Action.Journal.class).getLast().executionId();
        shop.on(new Input.Journaled(invoked, 0, null));
        shop.after(1);
        shop.settle();
        ask(caller, new ProcessCall.Result(invoked, 1_000));
        Running inner = shop.running(invoked);
        Payload large = new Payload("a/b", null, new Payload.Reference("large", 100_000));
        on(new Input.FinishInProcess(new Input.Finish(inner.app(), inner.instance(), inner.eventId(), inner.attempt(), large, List.of(),
                shop.nowNs, shop.nowNs), List.of()));
        shop.after(1);
        Action.AnswerOutput first = shop.only(Action.AnswerOutput.class);
        assertThat(first).isEqualTo(new Action.AnswerOutput(APP.application(), invoked,
                caller.eventId().substring(0, caller.eventId().indexOf('/')), large, true, first.listener()));
        shop.after(5_000);
        ask(caller, new ProcessCall.Result(invoked, 1_000));
        assertThat(shop.only(Action.AnswerOutput.class).isFresh()).isFalse();
    }

    @Test
    void aLargeInputIsKeptUntilWhatWasInvokedWithItHasEnded() {
        running("q");
        Running caller = running("p");
        Payload large = new Payload("a/b", null, new Payload.Reference("large", 100_000));
        ask(caller, new ProcessCall.Invoke(0, "q", "g", large));
        String invoked = shop.of(Action.Journal.class).getLast().executionId();
        shop.on(new Input.Journaled(invoked, 0, null));
        shop.after(1);
        deliver();
        assertThat(told).containsExactly(new Answer.Invoked(invoked));
        shop.settle();
        assertThat(freed()).isEmpty();
        Payload again = new Payload("a/b", null, new Payload.Reference("large", 100_000));
        ask(caller, new ProcessCall.Invoke(0, "q", "g", again));
        assertThat(freed()).as("the one that was given again").hasSize(1);
        finish(shop.running(invoked));
        shop.after(1);
        assertThat(freed()).as("its record is to be kept").hasSize(1);
        shop.after(3_000);
        assertThat(freed()).hasSize(2);
    }

    private List<Payload> freed() {
        return shop.all.stream().filter(Action.Free.class::isInstance).flatMap(free -> ((Action.Free) free).values().stream())
                .filter(value -> value.reference() != null && value.reference().size() == 100_000).toList();
    }

    @Test
    void processesGoWithTheirApplicationAndNotWithAnEarlierOneOfItsName() {
        finish(running("p"), write("a", "1"));
        shop.on(new Input.Delete(APP.application(), APP.version() - 1, "deleted before"));
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOf(ProcessView.class);
        shop.on(new Input.Delete(APP.application(), APP.version(), "deleted"));
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOf(Failure.class);
    }

    @Test
    void aMessageThatNeverFitsIsToldItsOwnSizeAndOneThatDoesNotFitNowWhatItWouldMake() {
        Running receiver = running("q");
        Running sender = running("p");
        Payload some = new Payload("a/b", null, new Payload.Reference("some", 40L << 20));
        call(sender, new ProcessCall.Send(0, "q", "k", some, 0));
        assertThat(call(sender, new ProcessCall.Send(1, "q", "k", some, 0))).isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.message()).endsWith("a mailbox of 67108864 bytes, and this message would make it " + (80L << 20)));
        call(receiver, receive(0));
        assertThat(call(sender, new ProcessCall.Send(1, "q", "k", some, 0))).isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.message()).contains((80L << 20) + "; functions that have not ended have received 1 of its messages"));
        Payload large = new Payload("a/b", null, new Payload.Reference("large", (64L << 20) + 1));
        assertThat(call(sender, new ProcessCall.Send(2, "q", "k", large, 0))).isInstanceOfSatisfying(Answer.Refused.class, refused ->
                assertThat(refused.message()).endsWith("a mailbox of 67108864 bytes, and this message alone has 67108865"));
    }

    @Test
    void anApplicationHasSoManyProcessesAtMost() {
        for (int i = 0; i < ProcessTable.MOST; i++) {
            assertThat(command("p" + i, Kind.CREATE)).isInstanceOf(ProcessView.class);
        }
        assertThat(command("more", Kind.CREATE)).isInstanceOfSatisfying(Failure.class, failure ->
                assertThat(failure.error()).isEqualTo(Errors.OVERLOADED));
        invoke("more");
        assertThat(command("more", Kind.DESCRIBE)).isInstanceOf(Failure.class);
        assertThat(command("p0", Kind.DESCRIBE)).isInstanceOf(ProcessView.class);
    }

    @Test
    void processesGoWithTheirSlot() {
        finish(running("p"), write("a", "1"));
        shop.on(new Input.SlotLost(Slots.of("p", SLOTS), EPOCH));
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class, failure ->
                assertThat(failure.error()).isEqualTo(Errors.MOVED));
    }
}
