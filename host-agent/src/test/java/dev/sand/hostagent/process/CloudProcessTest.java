package dev.sand.hostagent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.hostagent.process.Mailbox.Sent;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CloudProcessTest {
    private static final ProcessSpec SMALL = new ProcessSpec(2, 10, 3, 100, 20, 1_000, 600_000, Map.of());
    private static final Attempt FIRST = new Attempt("e1", 1);
    private static final Attempt SECOND = new Attempt("e2", 1);
    private final CloudProcess process = new CloudProcess("p", SMALL);

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(Payload payload) {
        return payload == null ? null : new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    private static StateWrite write(String key, String value) {
        return new StateWrite(key, value == null ? null : json(value));
    }

    private static String body(Message message) {
        return message == null ? null : text(message.payload());
    }

    private Sent offer(String source, String key, Payload payload, String sender, int ordinal) {
        return process.offer(new Change.Arrived(sender, ordinal, source, key, payload), 0);
    }

    /** It ends well, and that is durable. @return what is freed by it */
    private List<Payload> finish(Attempt attempt, List<StateWrite> writes) {
        CloudProcess.Finished finished = process.finish(attempt, writes);
        if (finished == null) {
            return List.of();
        }
        process.done(finished, List.of(), List.of());
        return process.settle(finished);
    }

    /** One that the bus does not take would be in the way of all that come after it. */
    @Test
    void whatOneFunctionWritesFitsIntoTheRecordOfItsEnd() {
        CloudProcess roomy = new CloudProcess("q", new ProcessSpec(2, 10, 3, 100, 256 << 20, 1_000, 600_000, Map.of()));
        List<StateWrite> some = IntStream.range(0, 1_000).mapToObj(i -> write("k" + i, '"' + "x".repeat(4_000) + '"')).toList();
        assertThat(roomy.refusal(FIRST, some, Long.MAX_VALUE)).isNull();
        roomy.write(FIRST, some);
        roomy.write(FIRST, some);
        assertThat(roomy.refusal(FIRST, some, Long.MAX_VALUE)).isNotNull().satisfies(refusal -> {
            assertThat(refusal.limit()).isEqualTo("process record");
            assertThat(refusal.actual()).isGreaterThan(RecordBytes.MOST);
        });
        assertThat(roomy.refusal(SECOND, some, Long.MAX_VALUE)).isNull();
        StateWrite large = new StateWrite("l", Payload.json(new byte[20 << 20]));
        assertThat(roomy.refusal(FIRST, List.of(large), Long.MAX_VALUE)).as("an object beside the record").isNull();
    }

    private String read(Attempt attempt, String key) {
        return text(process.get(attempt, key));
    }

    @Test
    void aSenderIsKnownForAsLongAsItKeepsSending() {
        Mailbox mailbox = process.mailbox();
        mailbox.took("busy", 0);
        for (int other = 0; other < 20_000; other++) {
            mailbox.took("other " + other, 0);
            mailbox.took("busy", other % 100);
        }
        assertThat(mailbox.hasTaken("busy", 0)).isTrue();
        assertThat(mailbox.hasTaken("other 0", 0)).isFalse();
    }

    @Test
    void writesTakeEffectTogetherWhenTheFunctionEndsWell() {
        process.write(FIRST, List.of(write("a", "1")));
        assertThat(read(FIRST, "a")).isEqualTo("1");
        assertThat(read(SECOND, "a")).isNull();
        finish(FIRST, List.of(write("b", "2")));
        assertThat(process.keys(SECOND, null, 10)).containsExactly("a", "b");
        assertThat(read(SECOND, "b")).isEqualTo("2");
    }

    @Test
    void writesOfAFunctionThatFailsAreGone() {
        finish(FIRST, List.of(write("a", "1")));
        process.write(SECOND, List.of(write("a", "2"), write("b", "3")));
        assertThat(process.abandon(SECOND).stream().map(CloudProcessTest::text)).containsExactly("2", "3");
        assertThat(read(SECOND, "a")).isEqualTo("1");
        assertThat(process.keys(SECOND, null, 10)).containsExactly("a");
    }

    @Test
    void deletedKeysAreGoneForTheFunctionAtOnceAndForOthersAtItsEnd() {
        finish(FIRST, List.of(write("a", "1"), write("b", "2")));
        process.write(SECOND, List.of(write("a", null)));
        assertThat(process.keys(SECOND, null, 10)).containsExactly("b");
        assertThat(process.keys(FIRST, null, 10)).containsExactly("a", "b");
        assertThat(finish(SECOND, List.of()).stream().map(CloudProcessTest::text)).containsExactly("1");
        assertThat(process.stateBytes()).isEqualTo(2);
    }

    @Test
    void keysAreGivenPageByPage() {
        finish(FIRST, List.of(write("a", "1"), write("b", "1"), write("c", "1")));
        assertThat(process.keys(FIRST, null, 2)).containsExactly("a", "b");
        assertThat(process.keys(FIRST, "b", 2)).containsExactly("c");
    }

    @Test
    void keysAreInTheOrderOfTheirBytes() {
        finish(FIRST, List.of(write("\uD83D\uDE00", "1"), write("\uFF5E", "1"), write("a", "1")));
        assertThat(process.keys(FIRST, null, 10)).containsExactly("a", "\uFF5E", "\uD83D\uDE00");
    }

    @Test
    void stateOverItsBoundIsRefusedUnlessItShrinks() {
        process.write(FIRST, List.of(write("a", "\"0123456\"")));
        assertThat(process.refusal(FIRST, List.of(write("b", "\"0123456\"")), 20)).isNull();
        assertThat(process.refusal(FIRST, List.of(write("b", "\"01234567\"")), 20).actual()).isEqualTo(21);
        assertThat(process.refusal(FIRST, List.of(write("a", "1"), write("b", "\"0123456789abcde\"")), 20)).isNull();
    }

    @Test
    void keysCountInBytesAsTheyAreWritten() {
        String odd = "a\u00e9\u20ac\uD83D\uDE00"; // of one, two, three and four
        long bytes = odd.getBytes(StandardCharsets.UTF_8).length + 1;
        assertThat(process.refusal(FIRST, List.of(write(odd, "1")), bytes)).isNull();
        assertThat(process.refusal(FIRST, List.of(write(odd, "1")), bytes - 1).actual()).isEqualTo(bytes);
        assertThat(process.refusal(FIRST, List.of(write("\u20ac".repeat(6), "123")), 1_000).actual()).isEqualTo(21);
        finish(FIRST, List.of(write(odd, "1")));
        assertThat(process.stateBytes()).isEqualTo(bytes);
        assertThat(process.residentBytes()).isEqualTo(bytes);
        finish(FIRST, List.of(write(odd, null)));
        assertThat(process.stateBytes()).isZero();
        assertThat(process.residentBytes()).isZero();
    }

    @Test
    void aValueThatDoesNotFitIntoTheMemoryIsRefusedWhateverTheBound() {
        assertThat(process.refusal(FIRST, List.of(write("a", "\"" + "x".repeat(17) + "\"")), 1_000)).isNull();
        Refusal refusal = process.refusal(FIRST, List.of(write("a", "\"" + "x".repeat(18) + "\"")), 1_000);
        assertThat(List.of(refusal.limit(), refusal.allowed(), refusal.actual())).containsExactly("process memory", 20L, 21L);
    }

    private void imaged() {
        process.imaged(process.image(null, 0));
    }

    @Test
    void valuesThatNoImageHasStay() {
        finish(FIRST, List.of(write("a", "1234567890"), write("b", "1234567890")));
        assertThat(process.needsImage()).isTrue();
        assertThat(process.evict()).isEmpty();
        imaged();
        assertThat(process.needsImage()).isFalse();
        assertThat(process.evict()).hasSize(1);
        assertThat(List.of(process.residentBytes(), process.stateBytes())).containsExactly(11L, 22L);
        assertThat(process.keys(FIRST, null, 10)).containsExactly("a", "b");
    }

    @Test
    void whatWasUsedLeastLatelyLeavesFirstAndComesBack() {
        finish(FIRST, List.of(write("a", "12345678")));
        finish(FIRST, List.of(write("b", "12345678")));
        imaged();
        process.get(FIRST, "a");
        finish(SECOND, List.of(write("c", "12345678")));
        assertThat(process.evict()).extracting(CloudProcessTest::text).containsExactly("12345678");
        Payload asked = process.stored("b");
        assertThat(InImage.is(asked)).isTrue();
        assertThat(InImage.is(process.stored("a"))).isFalse();
        assertThat(process.loaded("b", asked, json("12345678"))).isTrue();
        assertThat(process.residentBytes()).isEqualTo(27);
        process.evict();
        assertThat(InImage.is(process.stored("a"))).as("now it is this one's turn").isTrue();
        assertThat(read(FIRST, "b")).isEqualTo("12345678");
    }

    @Test
    void whatAFunctionWasToldOfStaysUntilItHasLooked() {
        finish(FIRST, List.of(write("a", "1234567890"), write("b", "1234567890")));
        imaged();
        process.reads(SECOND, "a");
        process.reads(new Attempt("e3", 1), "b");
        assertThat(process.evict()).isEmpty();
        process.hasRead(SECOND);
        process.evict();
        assertThat(InImage.is(process.stored("a"))).isTrue();
        assertThat(InImage.is(process.stored("b"))).isFalse();
        process.abandon(new Attempt("e3", 1));
        assertThat(process.evict()).as("there is room").isEmpty();
    }

    @Test
    void whatIsWrittenOverOrDeletedComesBackNoMore() {
        finish(FIRST, List.of(write("a", "1234567890"), write("b", "1234567890"), write("c", "1234567890")));
        imaged();
        process.evict();
        Payload a = process.stored("a");
        Payload b = process.stored("b");
        assertThat(finish(FIRST, List.of(write("a", "7"), write("b", null)))).as("nothing of them is here").isEmpty();
        assertThat(process.loaded("a", a, json("1234567890"))).isFalse();
        assertThat(process.loaded("b", b, json("1234567890"))).isFalse();
        assertThat(read(FIRST, "a")).isEqualTo("7");
        assertThat(List.of(process.residentBytes(), process.stateBytes())).containsExactly(13L, 13L);
    }

    @Test
    void anImageTellsWhatIsToStayInIt() {
        finish(FIRST, List.of(write("a", "1234567890"), write("b", "1234567890")));
        assertThat(process.image(null, 0).cold()).containsExactly("a");
        finish(FIRST, List.of(write("b", null)));
        assertThat(process.image(null, 0).cold()).isEmpty();
    }

    @Test
    void aMessageIsTheAttemptsUntilItEndsAndInItsPlaceAgainIfThatFails() {
        offer("q", "k", json("1"), "i1", 0);
        offer("q", "k", json("2"), "i1", 1);
        assertThat(body(process.receive(FIRST, "q", "k"))).isEqualTo("1");
        assertThat(body(process.receive(SECOND, null, "k"))).isEqualTo("2");
        assertThat(process.receive(SECOND, null, null)).isNull();
        process.abandon(FIRST);
        assertThat(body(process.receive(SECOND, "q", null))).isEqualTo("1");
        finish(SECOND, List.of());
        assertThat(process.mailbox().unread()).isZero();
    }

    @Test
    void aSendersRepetitionIsTakenOnce() {
        assertThat(offer("q", "k", json("1"), "i1", 0)).isEqualTo(Sent.TAKEN);
        assertThat(offer("q", "k", json("2"), "i1", 3)).isEqualTo(Sent.TAKEN);
        assertThat(offer("q", "k", json("1"), "i1", 0)).isEqualTo(Sent.REPEATED);
        assertThat(offer("q", "k", json("2"), "i1", 3)).isEqualTo(Sent.REPEATED);
        assertThat(offer("q", "k", json("3"), "i1", 2)).as("it was refused then").isEqualTo(Sent.TAKEN);
        assertThat(offer("q", "k", json("1"), "i2", 0)).isEqualTo(Sent.FULL);
        assertThat(process.mailbox().unread()).isEqualTo(3);
    }

    @Test
    void aRepetitionIsKnownWhenItsSenderRunsInAnotherSlot() {
        String sender = Ids.encode(1, 2, 3);
        assertThat(offer("q", "k", json("1"), Slots.placed(sender, 1, 16) + "/f", 0)).isEqualTo(Sent.TAKEN);
        assertThat(offer("q", "k", json("1"), Slots.placed(sender, 2, 16) + "/f", 0)).isEqualTo(Sent.REPEATED);
    }

    @Test
    void aFullMailboxTakesNothingUntilSomethingIsReadForGood() {
        for (int i = 0; i < 3; i++) {
            assertThat(offer("q", "k", json("" + i), "i1", i)).isEqualTo(Sent.TAKEN);
        }
        assertThat(offer("q", "k", json("3"), "i1", 3)).isEqualTo(Sent.FULL);
        process.receive(FIRST, null, null);
        assertThat(offer("q", "k", json("3"), "i1", 3)).isEqualTo(Sent.FULL);
        finish(FIRST, List.of());
        assertThat(offer("q", "k", json("3"), "i1", 3)).isEqualTo(Sent.TAKEN);
    }

    @Test
    void messagesThatInvokeAreReceivedByNobodyAndFeedTheirFunctionsTrigger() {
        ProcessSpec spec = new ProcessSpec(2, 10, 10, 1_000, 20, 1_000, 600_000, Map.of(
                "sum", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 0, false),
                "all", new ProcessSpec.Function(ProcessSpec.Trigger.BATCH, 3, 5, false)));
        CloudProcess triggered = new CloudProcess("p", spec);
        triggered.offer(new Change.Arrived("i1", 0, "a", "invoke:sum:x", json("1")), 0);
        triggered.offer(new Change.Arrived("i2", 0, "b", "invoke:sum:y", json("2")), 0);
        triggered.offer(new Change.Arrived("i1", 1, "a", "invoke:all:x", json("3")), 1_000_000);
        triggered.offer(new Change.Arrived("i1", 2, "a", "invoke:other:", json("4")), 0);
        assertThat(triggered.receive(FIRST, null, null)).isNull();
        assertThat(triggered.mailbox().unread()).isEqualTo(4);
        assertThat(triggered.pollDue(2_000_000, function -> !function.equals("other"))).isNull();
        assertThat(triggered.nextDueNs()).isEqualTo(6_000_000);
        triggered.offer(new Change.Arrived("i2", 1, "b", "invoke:sum:x", json("5")), 0);
        CloudProcess.Due sum = triggered.pollDue(2_000_000, function -> !function.equals("other"));
        assertThat(sum.function() + " " + sum.key() + " " + sum.alone()).isEqualTo("sum x false");
        assertThat(sum.messages().stream().map(CloudProcessTest::body)).containsExactly("1", "5");
        CloudProcess.Due late = triggered.pollDue(6_000_000, function -> !function.equals("other"));
        assertThat(late.messages().stream().map(CloudProcessTest::body)).containsExactly("3");
        CloudProcess.Due alone = triggered.pollDue(6_000_000, function -> true);
        assertThat(alone.function() + " " + alone.alone()).isEqualTo("other true");
        assertThat(triggered.mailbox().unread()).isEqualTo(1);
    }

    @Test
    void aTimeOutCountsFromBeforeTheImageOnWhateverClock() {
        ProcessSpec spec = new ProcessSpec(2, 10, 10, 1_000, 20, 1_000, 600_000, Map.of(
                "sum", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 2, 0, false),
                "all", new ProcessSpec.Function(ProcessSpec.Trigger.BATCH, 3, 5, false)));
        CloudProcess triggered = new CloudProcess("p", spec);
        triggered.offer(new Change.Arrived("i1", 0, "a", "invoke:sum:x", json("1")), 1_000_000);
        triggered.offer(new Change.Arrived("i1", 1, "a", "invoke:all:x", json("2")), 1_000_000);
        triggered.offer(new Change.Arrived("i1", 2, "a", "k", json("3")), 1_000_000);
        ProcessImage image = triggered.image(null, 1_000_000_000);
        assertThat(image.messages()).extracting(Message::atNs).as("of those that invoke nothing, none")
                .containsExactly(1_001_000_000L, 1_001_000_000L, 0L);
        CloudProcess elsewhere = new CloudProcess("p", spec);
        elsewhere.restore(image, 50_000_000, 953_000_000); // 2 ms later
        assertThat(elsewhere.nextDueNs()).isEqualTo(53_000_000);
        CloudProcess slow = new CloudProcess("p", spec);
        slow.restore(image, 50_000_000, 900_000_000); // whose clock says that it is yet to come
        assertThat(slow.nextDueNs()).isEqualTo(55_000_000);
    }

    @Test
    void aTimeOutThatTheTriggerHasOnlySinceTheImageCountsFromBeforeItToo() {
        CloudProcess without = new CloudProcess("p", triggered(0));
        without.offer(new Change.Arrived("i1", 0, "a", "invoke:sum:x", json("1")), 1_000_000);
        CloudProcess back = new CloudProcess("p", triggered(6));
        back.restore(without.image(null, 1_000_000_000), 9_000_000, 1_000_000_000);
        assertThat(back.nextDueNs()).isEqualTo(7_000_000);
        assertThat(back.pollDue(9_000_000, function -> true).messages()).hasSize(1);
    }

    private static ProcessSpec triggered(long timeoutMs) {
        return new ProcessSpec(2, 10, 10, 1_000, 20, 1_000, 600_000,
                Map.of("sum", new ProcessSpec.Function(ProcessSpec.Trigger.MULTI_SOURCE, 3, timeoutMs, false)));
    }

    @Test
    void noFunctionWaitsForTheMessagesOfAnotherToEnd() {
        ProcessSpec spec = new ProcessSpec(2, 10, 10, 1_000, 20, 1_000, 600_000, Map.of(
                "all", new ProcessSpec.Function(ProcessSpec.Trigger.BATCH, 3, 5, false)));
        CloudProcess triggered = new CloudProcess("p", spec);
        List<String> keys = List.of("invoke:all:", "invoke:a:", "invoke:a:", "invoke:b:", "invoke:a:", "invoke:a:");
        for (int i = 0; i < keys.size(); i++) {
            triggered.offer(new Change.Arrived("i", i, "q", keys.get(i), json("" + i)), i == 5 ? 7_000_000 : i * 1_000_000L);
        }
        List<String> order = new ArrayList<>();
        for (CloudProcess.Due due = triggered.pollDue(9_000_000, function -> true); due != null;
                due = triggered.pollDue(9_000_000, function -> true)) {
            order.add(due.function());
        }
        assertThat(order).as("all is due by its time-out, before the last message came").containsExactly("a", "a", "b", "a", "all", "a");
    }

    @Test
    void aMessageThatInvokesNamesAFunctionThatIsThere() {
        assertThat(InvokingMessages.unknown("k", Set.of("f"))).isNull();
        assertThat(InvokingMessages.unknown("invoke:f:", Set.of("f"))).isNull();
        assertThat(InvokingMessages.unknown("invoke:f", Set.of("f"))).isEmpty();
        assertThat(InvokingMessages.unknown("invoke:g:k", Set.of("f"))).isEqualTo("g");
    }

    @Test
    void theLifeCycleIsThatOfTheTable() {
        assertThat(Arrays.stream(LifeCycle.values()).filter(LifeCycle.ACTIVE::mayBecome))
                .containsExactly(LifeCycle.IDLE, LifeCycle.SWAPPING_OUT, LifeCycle.KILLED);
        assertThat(Arrays.stream(LifeCycle.values()).filter(LifeCycle.SWAPPED::mayBecome))
                .containsExactly(LifeCycle.SWAPPING_IN, LifeCycle.KILLED);
        assertThat(Arrays.stream(LifeCycle.values()).filter(LifeCycle.KILLED::mayBecome)).isEmpty();
        assertThatThrownBy(() -> process.become(LifeCycle.SWAPPED)).hasMessageContaining("ACTIVE").hasMessageContaining("SWAPPED");
    }
}
