package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static dev.sand.hostagent.core.CoreFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessSpec;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.ProcessChange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Messages are in the journal only if the moment passes, or somebody waits for them, before whoever receives them has ended. */
class HeldMessagesTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 256L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private static final int HOLD_MS = 50;

    HeldMessagesTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm().allKnowPassed());
        command("p", Kind.CREATE);
    }

    private void sendLarge(Running by, int number, String to, long bytes) {
        Payload value = new Payload(Payload.OCTETS, null, new Payload.Reference("value" + number, bytes));
        assertThat(call(by, new ProcessCall.Send(number, to, "k", value, 0))).isInstanceOf(Answer.Done.class);
    }

    private static String execution(Running of) {
        return of.eventId().substring(0, of.eventId().indexOf('/'));
    }

    private void sendLarge(Running by, int number, String to) {
        sendLarge(by, number, to, 1 << 20);
    }

    private void receive(Running by, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(call(by, new ProcessCall.Receive(null, null, 0))).isInstanceOf(Answer.Received.class);
        }
    }

    /** Of a process, as the journal has them, but for that it was made. */
    private List<ProcessChange> changes(String process) {
        return journal.stream().filter(record -> record.carried() != null).map(record -> record.carried().change())
                .filter(change -> change.process().equals(process) && !(change.change() instanceof Change.Made)).toList();
    }

    /** Read from the journal as a next owner does. */
    private CloudProcess replayed(String process) {
        CloudProcess read = new CloudProcess(process, SPEC);
        read.changed(); // it was made
        changes(process).forEach(change -> read.replay(change, 0));
        return read;
    }

    @Test
    void whatIsReceivedByWhoEndsSoonIsInTheRecordOfThatEndAlone() {
        Running sender = running("sender");
        Running receiver = running("p");
        sendLarge(sender, 0, "p");
        sendLarge(sender, 1, "p");
        receive(receiver, 2);
        assertThat(changes("p")).isEmpty();
        finish(receiver, write("a", "1"));
        assertThat(changes("p")).singleElement().satisfies(change -> {
            assertThat(change.first()).isEqualTo(2);
            assertThat(change.number()).isEqualTo(3);
            Change.Done done = (Change.Done) change.change();
            assertThat(done.received()).isEmpty();
            assertThat(done.passed()).extracting(Change.Passed::ordinal).containsExactly(0, 1);
            assertThat(done.values()).extracting(CoreFixture::text).containsExactly("1");
        });
        assertThat(replayed("p").mailbox().unread()).isZero();
        assertThat(replayed("p").mailbox().hasTaken(sender.eventId(), 1)).isTrue();
        keep(shop.after(HOLD_MS + 1));
        assertThat(changes("p")).hasSize(1);
        finish(sender);
        assertThat(shop.all).anyMatch(action -> action instanceof Action.Respond respond
                && respond.result().executionId().equals(execution(sender)));
    }

    /** Who would read the journal next may be one that does not understand it. */
    @Test
    void whileNotAllHostsKnowOfThatEachMessageHasARecordBeforeThatEnd() {
        for (HostCard other : List.of(card("of-before", 0), card("here", Change.Passed.SCHEMA - 1))) {
            shop.hosts(other, card("here", Change.Passed.SCHEMA));
            passesNothing();
        }
        shop.hosts(card("of-now", Change.Passed.SCHEMA)); // who hears not even of itself may not have heard of others
        passesNothing();
    }

    private static HostCard card(String host, int reads) {
        return new HostCard(host, "1", null, Set.of(), 0, false, 0, reads);
    }

    private void passesNothing() {
        int before = changes("p").size();
        Running sender = running("sender");
        Running receiver = running("p");
        sendLarge(sender, 0, "p");
        receive(receiver, 1);
        finish(receiver);
        assertThat(changes("p").subList(before, changes("p").size())).satisfiesExactly(
                change -> assertThat(change.change()).isInstanceOf(Change.Arrived.class),
                change -> assertThat(((Change.Done) change.change()).received()).hasSize(1));
        finish(sender);
    }

    /** What is behind one that stays is in the journal behind it, and read there. */
    @Test
    void whoHasReadPastOneHasAllOfThemWritten() {
        Running sender = running("sender");
        Running receiver = running("p");
        String[] keys = {"k", "other", "k"};
        for (int i = 0; i < keys.length; i++) {
            call(sender, new ProcessCall.Send(i, "p", keys[i], json("" + i), 0));
        }
        for (int i = 0; i < 2; i++) {
            assertThat(call(receiver, new ProcessCall.Receive(null, "k", 0))).isInstanceOf(Answer.Received.class);
        }
        finish(receiver);
        finish(sender);
        assertThat(replayed("p").mailbox().unread()).isOne();
        Running next = running("p");
        assertThat(received(next)).isEqualTo("1");
        assertThat(received(next)).isNull();
    }

    /** Whose memory is another's as soon as they are read. */
    @Test
    void ofTwoWhoReadInTurnsNoneFreesWhatIsWrittenYet() {
        Running sender = running("sender");
        Running one = running("p");
        Running other = running("p");
        for (int i = 0; i < 4; i++) {
            sendLarge(sender, i, "p");
        }
        for (Running reader : List.of(one, other, one, other)) {
            receive(reader, 1);
        }
        finish(one);
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(2L, 3L, 4L, 5L, 6L);
        finish(other);
        finish(sender);
        assertThat(replayed("p").mailbox().unread()).isZero();
    }

    @Test
    void whatIsSentWhileSomebodyWaitsForItsSenderIsNotHeld() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        shop.takesChanges = false;
        on(new Input.FromElsewhere(() -> shop.core().context().processes.sends().delays(sender.eventId(), () -> { })));
        assertThat(changes("p")).hasSize(1);
        sendLarge(sender, 1, "p");
        assertThat(changes("p")).hasSize(2);
    }

    @Test
    void whenThereAreVeryManyAllAreWritten() {
        Running sender = running("sender");
        for (int i = 0; i < HeldMessages.MOST; i++) {
            call(sender, new ProcessCall.Send(i, "p", "k", json("1"), 0));
        }
        assertThat(changes("p")).isEmpty();
        call(sender, new ProcessCall.Send(HeldMessages.MOST, "p", "k", json("1"), 0));
        assertThat(changes("p")).hasSize(HeldMessages.MOST + 1);
    }

    @Test
    void whatNobodyHasReadForAMomentIsWritten() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        shop.after(HOLD_MS - 1);
        assertThat(changes("p")).isEmpty();
        keep(shop.after(2));
        assertThat(changes("p")).singleElement().satisfies(change -> assertThat(change.change()).isInstanceOf(Change.Arrived.class));
    }

    @Test
    void theEndOfTheSenderHasItWrittenAtOnceAndWaitsForThat() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        shop.takesChanges = false;
        finish(sender);
        assertThat(changes("p")).hasSize(1);
        assertThat(shop.all).noneMatch(Action.Respond.class::isInstance);
        on(new Input.ChangeJournaled(journal.getLast().carried(), null));
        assertThat(shop.all).anyMatch(Action.Respond.class::isInstance);
    }

    @Test
    void smallOnesAreHeldTooAndAllKeepTheirOrder() {
        Running sender = running("sender");
        call(sender, send(0, "p", "first"));
        sendLarge(sender, 1, "p");
        call(sender, send(2, "p", "last"));
        assertThat(changes("p")).isEmpty();
        keep(shop.after(HOLD_MS + 1));
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(2L, 3L, 4L);
    }

    @Test
    void anyOtherChangeGoesBehindIt() {
        Running sender = running("sender");
        Running other = running("p");
        sendLarge(sender, 0, "p");
        finish(other, write("a", "1"));
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(2L, 3L);
        sendLarge(sender, 1, "p");
        on(new Input.Deliver(new ProcessMessage(APP.application(), APP.version(), "far/e", 0, "far", "p", "k", json("8"), 0), failure -> { }));
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(2L, 3L, 4L, 5L);
    }

    @Test
    void whatIsBehindThoseThatPassedGoesBehindTheEndThatHasThem() {
        Running sender = running("sender");
        Running receiver = running("p");
        for (int number = 0; number < 4; number++) {
            sendLarge(sender, number, "p");
        }
        receive(receiver, 2);
        finish(receiver, write("a", "1"));
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(3L);
        finish(sender);
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(3L, 4L, 5L);
        CloudProcess read = replayed("p");
        assertThat(read.mailbox().unread()).isEqualTo(2);
        assertThat(read.number()).isEqualTo(5);
        Running next = running("p");
        receive(next, 2);
        finish(next);
        assertThat(replayed("p").mailbox().unread()).isZero();
    }

    @Test
    void theLatterOfTwoThatWasReadFirstPassesNot() {
        Running sender = running("sender");
        Running receiver = running("p");
        sendLarge(sender, 0, "p");
        call(sender, new ProcessCall.Send(1, "p", "other", json("1"), 0));
        assertThat(call(receiver, new ProcessCall.Receive(null, "other", 0))).isInstanceOf(Answer.Received.class);
        finish(receiver);
        assertThat(changes("p")).extracting(ProcessChange::number).containsExactly(2L, 3L, 4L);
        assertThat(replayed("p").mailbox().unread()).isEqualTo(1);
    }

    @Test
    void whatComesBackFromAFunctionThatFailedIsWritten() {
        Running sender = running("sender");
        Running receiver = running("p");
        sendLarge(sender, 0, "p");
        receive(receiver, 1);
        shop.fail(receiver, "Oops");
        finish(sender);
        assertThat(replayed("p").mailbox().unread()).isEqualTo(1);
    }

    @Test
    void soMuchIsHeldAndNotMore() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p", HeldMessages.MOST_BYTES - 100);
        assertThat(changes("p")).isEmpty();
        sendLarge(sender, 1, "p", 101);
        assertThat(changes("p")).hasSize(2);
        sendLarge(sender, 2, "p", 101);
        assertThat(changes("p")).as("counted anew").hasSize(2);
    }

    @Test
    void anImageHasThemWrittenBefore() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        command("p", Kind.CHECKPOINT);
        assertThat(changes("p")).hasSize(1);
        assertThat(shop.all).anyMatch(action -> action instanceof Action.WriteImage write && write.image().messages().size() == 1);
    }

    @Test
    void nothingIsWrittenOfAProcessThatIsDeletedWithItsApplication() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        on(new Input.Delete(APP.application(), APP.version(), "deleted"));
        assertThat(shop.after(HOLD_MS + 1)).noneMatch(action -> action instanceof Action.Journal record && record.carried() != null
                && record.carried().change().process().equals("p"));
    }

    @Test
    void aKilledOneHasThemBeforeItsEnd() {
        Running sender = running("sender");
        sendLarge(sender, 0, "p");
        command("p", Kind.KILL);
        assertThat(changes("p")).extracting(change -> change.change().getClass().getSimpleName()).containsExactly("Arrived", "Killed");
    }
}
