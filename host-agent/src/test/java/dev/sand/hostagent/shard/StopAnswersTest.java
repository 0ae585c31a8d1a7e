package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter.Standing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nobody is told that an execution is stopped by a host that may not have it any more. */
class StopAnswersTest {
    private final Withheld withheld = new Withheld();
    private final Deque<Runnable> later = new ArrayDeque<>();
    /** What they were told: whether it ended by them, or why that is not known. */
    private final List<Object> told = new ArrayList<>();
    private Standing standing = Standing.OURS;
    private final StopAnswers answers = new StopAnswers((slot, epoch) -> slot == 3 && epoch == 5 ? standing : Standing.LOST, withheld,
            (delay, what) -> later.add(what));

    private void answer() {
        answers.answer(new Action.AnswerCancel(new Input.Listener<>() {
            @Override
            public void onDone(Boolean byThis) {
                told.add(byThis);
            }

            @Override
            public void onFailed(Failure failure) {
                told.add(failure);
            }
        }, true, 3, 5));
    }

    @Test
    void itsOwnerTells() {
        answer();
        assertThat(told).containsExactly(true);
    }

    @Test
    void oneThatHasLostTheSlotDoesNot() {
        standing = Standing.LOST;
        answer();
        assertThat(told).singleElement().isInstanceOfSatisfying(Failure.class, failure -> assertThat(failure.retryable()).isTrue());
        assertThat(withheld.read()).containsEntry("answer", 1L);
    }

    @Test
    void oneThatDoesNotKnowTellsOnceItDoes() {
        standing = Standing.UNKNOWN;
        answer();
        later.remove().run();
        assertThat(told).isEmpty();
        standing = Standing.OURS;
        later.remove().run();
        assertThat(told).containsExactly(true);
    }

    @Test
    void andLetsThemComeBackWhenThatTakesLong() {
        standing = Standing.UNKNOWN;
        answer();
        while (!later.isEmpty()) {
            later.remove().run();
        }
        assertThat(told).containsExactly(ActionPerformer.AWAY);
    }
}
