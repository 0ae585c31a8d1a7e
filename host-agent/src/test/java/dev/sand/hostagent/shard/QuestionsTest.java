package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Ids;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.core.Question.Answer;
import dev.sand.hostagent.core.Question;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.segments.MemfdSegments;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.hostagent.triggers.GrainQueues;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A step that asks something is answered, whatever goes wrong: without an answer it would wait until its deadline. */
class QuestionsTest {
    private static Answer answer(RuntimeException thrown) {
        RecordAdapter records = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(),
                new Class<?>[] {RecordAdapter.class}, (proxy, method, arguments) -> {
                    throw thrown;
                });
        return new Questions(records, null, null, null, null).answer(new Action.Ask("e1", "T",
                new Question.ClaimName("shop", "child", "one", "c1", Payload.nullJson())));
    }

    @Test
    void aStoreThatIsAwayIsAskedAgain() {
        assertThat(answer(new StoreException(StoreException.Kind.AWAY, "away", 0, null)))
                .isEqualTo(new Answer.Failed(Errors.UNAVAILABLE, "away", true));
    }

    @Test
    void whatNobodyForesawFailsTheStep() {
        assertThat(answer(new IllegalStateException("unforeseen"))).isInstanceOfSatisfying(Answer.Failed.class, failed -> {
            assertThat(failed.again()).isFalse();
            assertThat(failed.cause()).contains("unforeseen");
        });
    }

    /** @param found an answer, or what is thrown. @return what is told: a result, a failure, or "no end" */
    private static Object ended(Object found) {
        RecordAdapter records = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(),
                new Class<?>[] {RecordAdapter.class}, (proxy, method, arguments) -> {
                    if (found instanceof RuntimeException thrown) {
                        throw thrown;
                    }
                    return found;
                });
        List<Object> told = new ArrayList<>();
        new Questions(records, null, null, null, null).find(new Action.FindResult("shop", "e1", "caller", null), (result, failure) ->
                told.add(result != null ? result : failure != null ? failure : "no end"));
        return told.getFirst();
    }

    @Test
    void whoeverAsksForAnEndIsToldWhatTheRecordSays() {
        Payload output = Payload.nullJson();
        Failure failed = Failure.grain("Boom", "because", null);
        assertThat(ended(new Answer.Found(null, null, null, 0))).isEqualTo("no end");
        assertThat(ended(new Answer.Found(Status.RUNNING, null, null, 0))).isEqualTo("no end");
        assertThat(ended(new Answer.Found(Status.SUCCEEDED, output, null, 5)))
                .isEqualTo(new InvocationResult("e1", Status.SUCCEEDED, output, null, List.of()));
        assertThat(ended(new Answer.Found(Status.FAILED, null, failed, 5)))
                .isEqualTo(new InvocationResult("e1", Status.FAILED, null, failed, List.of()));
        assertThat(ended(new Answer.Found(Status.SUCCEEDED, null, null, 5))).isInstanceOfSatisfying(Failure.class, gone ->
                assertThat(gone.error()).isEqualTo(Errors.NOT_FOUND));
        assertThat(ended(new IllegalStateException("unforeseen"))).isInstanceOfSatisfying(Failure.class, away ->
                assertThat(away.error()).isEqualTo(Errors.UNAVAILABLE));
    }

    private static final Payload LARGE = new Payload(Payload.OCTETS, new byte[100_000], null);

    /** What a function is told of the large output of one that it invoked, as it can read it. @param found as above */
    private static Object output(Object found, boolean isFresh, Values values) throws IOException {
        RecordAdapter records = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(),
                new Class<?>[] {RecordAdapter.class}, (proxy, method, arguments) -> {
                    if (found instanceof RuntimeException thrown) {
                        throw thrown;
                    }
                    return found;
                });
        BlockingQueue<ProcessCall.Answer> told = new LinkedBlockingQueue<>();
        try (MemfdSegments segments = new MemfdSegments(MemfdSegments.Options.DEFAULT); MemoryStore store = new MemoryStore();
                ObjectCopies copies = new ObjectCopies(new GlobalObjects(store), segments); Work work = new Work(2)) {
            Payload output = values.of(segments, copies);
            Questions questions = new Questions(records, null, new LargePayloads(segments, copies, null, work), work, null);
            Action.AnswerOutput answer = new Action.AnswerOutput("shop", "e1", "caller", output, isFresh, told::add);
            if (isFresh && !GlobalObjects.isGlobal(output)) {
                questions.output(null, answer);
            } else {
                questions.output(answer, told::add);
            }
            return switch (told.poll(10, TimeUnit.SECONDS)) {
                case ProcessCall.Answer.Outcome outcome -> segments.read("shop", outcome.output().reference()).length;
                case ProcessCall.Answer.Refused refused -> refused.error();
                case null, default -> "nothing";
            };
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Values {
        Payload of(SegmentServer segments, ObjectCopies copies) throws IOException;
    }

    private static Payload here(SegmentServer segments, ObjectCopies copies) {
        return segments.put("shop", "e1", LARGE);
    }

    private static Payload global(SegmentServer segments, ObjectCopies copies) {
        return copies.toGlobal("shop", "e1", "1.1.0", LARGE);
    }

    private static Payload gone(SegmentServer segments, ObjectCopies copies) {
        return new Payload(Payload.OCTETS, null, new Payload.Reference("gone", 100_000));
    }

    private static Payload goneThere(SegmentServer segments, ObjectCopies copies) {
        return new Payload(Payload.OCTETS, null, new Payload.Reference(GlobalObjects.name("e1", "gone"), 100_000));
    }

    @Test
    void aLargeOutputIsHadFromWhereItIsByNow() throws IOException {
        Answer.Found none = new Answer.Found(null, null, null, 0);
        Answer.Found kept = new Answer.Found(Status.SUCCEEDED, LARGE, null, 5);
        Answer.Found notKept = new Answer.Found(Status.SUCCEEDED, null, null, 5);
        assertThat(output(none, true, QuestionsTest::here)).isEqualTo(100_000);
        assertThat(output(none, true, QuestionsTest::global)).as("of one that was recovered, and has no record yet").isEqualTo(100_000);
        assertThat(output(none, false, QuestionsTest::here)).as("its record waits for the store").isEqualTo(100_000);
        assertThat(output(new StoreException(StoreException.Kind.AWAY, "away", 0, null), false, QuestionsTest::global)).isEqualTo(100_000);
        assertThat(output(kept, false, QuestionsTest::gone)).as("its memory is another's").isEqualTo(100_000);
        assertThat(output(kept, true, QuestionsTest::goneThere)).isEqualTo(100_000);
        assertThat(output(notKept, false, QuestionsTest::gone)).isEqualTo(Errors.NOT_FOUND);
        assertThat(output(none, false, QuestionsTest::gone)).isEqualTo(Errors.UNAVAILABLE);
    }

    @Test
    void aHostWithoutQueuesSaysSo() {
        Answer sent = new Questions(null, null, null, null, null).answer(new Action.Ask("e1", "T",
                new Question.Send("shop", "e1/T", "orders", null, Payload.nullJson())));
        assertThat(sent).isEqualTo(new Answer.Failed(Errors.UNAVAILABLE, "this host agent has no queues", false));
    }

    @Test
    void aMessageThatNobodyConfirmedIsSentAgainUnderItsId() {
        MemoryStore store = new MemoryStore();
        Registry registry = new Registry(store);
        QueueSpec orders = new QueueSpec("orders", "work", 10, 1, 1, 50, 2, 1, 10, 10_000, 1_000, null);
        registry.publish("shop", number -> new ApplicationVersion((short) 1, "shop", number, "b", null, SandboxSpec.DEFAULT,
                Map.of("work", GrainSpec.withDefaults("work")), Map.of(), List.of(), Map.of(), Durability.RELAXED, 0,
                Map.of("orders", orders), Map.of()));
        registry.setAlias("shop", Registry.LIVE, registry.latest("shop").orElseThrow());
        List<String> sent = new ArrayList<>();
        BusException.Kind[] refusal = {BusException.Kind.AWAY};
        GlobalBus bus = (GlobalBus) Proxy.newProxyInstance(GlobalBus.class.getClassLoader(), new Class<?>[] {GlobalBus.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("append")) {
                        sent.add(QueueMessage.decode((byte[]) arguments[2]).id());
                        throw new BusException(refusal[0], "not taken", null);
                    }
                    return 0L;
                });
        Questions questions = new Questions(null, new GrainQueues(registry, new Queues(bus, 4)), null, null, null);
        String execution = Ids.encode(1_000_000, 7, 7);
        Question send = new Question.Send("shop", execution + "/T", "orders", null, Payload.nullJson());
        for (String attempt : List.of("T", "T#2")) {
            assertThat(questions.answer(new Action.Ask(execution, attempt, send)))
                    .isEqualTo(new Answer.Failed("SQS.AmazonSQSException", "not taken", true));
        }
        assertThat(sent).hasSize(2).containsOnly(sent.getFirst());
        refusal[0] = BusException.Kind.FULL;
        assertThat(questions.answer(new Action.Ask(execution, "T", send))).as("it is certainly not there")
                .isEqualTo(new Answer.Failed("SQS.AmazonSQSException", "not taken", false));
        store.close();
    }
}
