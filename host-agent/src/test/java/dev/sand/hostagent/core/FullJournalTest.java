package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.grain;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.CoreFixture.Running;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A journal that has no room: who wants a process in the global data layer, or gone, is told so, and the process goes on. */
class FullJournalTest extends ProcessFixture {
    private static final ProcessSpec SPEC = new ProcessSpec(4, 50, 10_000, 64L << 20, 256L << 20, 1_000, 600_000, Map.of());
    private static final String FULL = "no room for journal.db";
    private final List<Action.Journal> waiting = new ArrayList<>();

    FullJournalTest() {
        super(new CoreFixture().with(SPEC).with(grain("g", 10, 100, Isolation.REQUEST)).warm());
        finish(running("p"), write("a", "1"));
    }

    /** A function's end waits for room. */
    private void fill() {
        Running running = running("p");
        shop.takesChanges = false;
        int before = journal.size();
        finish(running, write("a", "2"));
        waiting.addAll(journal.subList(before, journal.size()).stream().filter(record -> record.carried() != null).toList());
        shop.journalAway = FULL;
    }

    private void hasRoom() {
        shop.takesChanges = true;
        shop.journalAway = null;
        waiting.addAll(journal.stream().filter(record -> record.carried() != null && waiting.stream().noneMatch(each ->
                each.carried().change().number() >= record.carried().change().number())).toList());
        waiting.forEach(record -> on(new Input.ChangeJournaled(record.carried(), null)));
    }

    private List<Object> asked(Kind kind) {
        return command(new ProcessCommand(APP.application(), APP.version(), "p", kind));
    }

    private void after(long ms) {
        deliver(shop.after(ms));
        shop.settle();
    }

    private static void isTold(List<Object> answers) {
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class, failure -> {
            assertThat(failure.error()).isEqualTo(Errors.UNAVAILABLE);
            assertThat(failure.cause()).contains(FULL);
        });
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = {"CHECKPOINT", "SWAP_OUT"})
    void whoWantsAnImageIsToldWhyThereIsNone(Kind kind) {
        fill();
        List<Object> answers = asked(kind);
        after(1_900);
        assertThat(answers).isEmpty();
        after(200);
        isTold(answers);
        int before = running();
        invoke("p");
        assertThat(running()).as("it goes on").isEqualTo(before + 1);
    }

    private int running() {
        return ((ProcessView) command("p", Kind.DESCRIBE)).running();
    }

    @Test
    void whoWantsItSwappedOutBehindACheckpointToo() {
        fill();
        asked(Kind.CHECKPOINT);
        List<Object> answers = asked(Kind.SWAP_OUT);
        after(2_100);
        isTold(answers);
    }

    /** Nothing is known to be wrong with it, and it takes nothing. */
    @Test
    void norIsASilentJournalWaitedForWithoutEnd() {
        fill();
        shop.journalAway = null;
        List<Object> answers = asked(Kind.CHECKPOINT);
        after(11_900);
        assertThat(answers).isEmpty();
        after(200);
        assertThat(answers).singleElement().isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.cause()).contains("not in the journal after 12 s"));
    }

    @Test
    void onceThereIsRoomAnImageIsWritten() {
        fill();
        asked(Kind.CHECKPOINT);
        after(2_100);
        hasRoom();
        assertThat(asked(Kind.CHECKPOINT)).singleElement().isInstanceOf(ProcessView.class);
        assertThat(CoreFixture.text(shop.images.get("p").state().get("a"))).isEqualTo("2");
    }

    @Test
    void whoKillsItIsToldThatTheJournalDoesNotSaySoYetAndItIsKilledAllTheSame() {
        fill();
        List<Object> answers = asked(Kind.KILL);
        after(2_100);
        isTold(answers);
        List<Object> again = asked(Kind.KILL);
        assertThat(again).isEmpty();
        after(2_100);
        isTold(again);
        hasRoom();
        assertThat(isHere("p")).isFalse();
        assertThat(command("p", Kind.DESCRIBE)).isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.NOT_FOUND));
    }

    @Test
    void whoKillsItTooIsToldThatItIsNoMore() {
        shop.takesChanges = false;
        List<Object> first = asked(Kind.KILL);
        List<Object> second = asked(Kind.KILL);
        assertThat(first).isEmpty();
        assertThat(second).isEmpty();
        shop.takesChanges = true;
        on(new Input.ChangeJournaled(journal.getLast().carried(), null));
        assertThat(first).singleElement().isInstanceOf(ProcessView.class);
        assertThat(second).singleElement().isInstanceOfSatisfying(Failure.class,
                failure -> assertThat(failure.error()).isEqualTo(Errors.NOT_FOUND));
    }
}
