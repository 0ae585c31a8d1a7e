package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Redrive;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A journal that has several runs of one execution: the last one counts. */
class RedrivenJournalTest extends BusJournalFixture {
    private static final String ID = inPartition(0, "e");

    private static Backup redriven(int count) {
        InvocationRequest first = request("app", ID, json("0"));
        return new Backup.Accepted(new InvocationRequest(ID, "app", 1, "g", first.input(), 1000, true, null,
                new Redrive(count, Status.FAILED, "E", null, 1, 2)));
    }

    private void run(Backup accepted, String step, boolean ends) {
        append("app", ID, 0, accepted);
        append("app", ID, 1, succeeded(step, json("1")));
        if (ends) {
            append("app", ID, 2, new Backup.Ended(Status.FAILED));
        }
    }

    private void isTheLastRun() {
        restart();
        List<Unfinished> found = recover();
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().request().redrives()).isEqualTo(1);
        assertThat(found.getFirst().signals()).extracting("step").containsExactly("B#2");
    }

    @Test
    void whatIsBehindTheRedriveIsItsOwn() {
        run(accepted("app", ID), "A", true);
        run(redriven(1), "B#2", false);
        isTheLastRun();
    }

    @Test
    void anEndThatIsMissingBeforeItMakesNoDifference() {
        run(accepted("app", ID), "A", false);
        run(redriven(1), "B#2", false);
        isTheLastRun();
    }

    @Test
    void aRedriveThatIsSentTwiceIsOne() {
        run(accepted("app", ID), "A", true);
        run(redriven(1), "B#2", false);
        append("app", ID, 0, redriven(1));
        isTheLastRun();
    }

    @Test
    void oneThatHasEndedIsNotOpen() {
        run(accepted("app", ID), "A", true);
        run(redriven(1), "B#2", true);
        restart();
        assertThat(recover()).isEmpty();
    }

    @Test
    void recordsOfALaterRunStayWhenAnEarlierOneIsDoneWith() {
        OpenExecutions open = new OpenExecutions(0, 0);
        open.onAccepted("e", 1);
        open.onAccepted("e", 3000);
        assertThat(open.onEnded("e", 2000)).isTrue();
        assertThat(open.has("e")).isTrue();
        open.onClaim(5000);
        assertThat(open.trimTo(OpenExecutions.TRIM_RECORDS)).isEqualTo(3000);
        open.onEnded("e", 6000);
        assertThat(open.has("e")).isFalse();
    }

    @Test
    void anAcceptanceThatCameTwiceEndsOnce() {
        OpenExecutions open = new OpenExecutions(0, 0);
        open.onAccepted("e", 1);
        open.onAccepted("e", 2);
        open.onEnded("e", 3);
        assertThat(open.has("e")).isFalse();
    }
}
