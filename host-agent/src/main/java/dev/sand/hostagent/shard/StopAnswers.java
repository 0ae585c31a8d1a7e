package dev.sand.hostagent.shard;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.journal.JournalAdapter.Fence;
import java.time.Duration;
import java.util.function.BiConsumer;

/**
 * What who stopped an execution is told holds, and no receiver checks it by its epoch: so it is told while the slot is surely ours. A host
 * that stood still may have begun and stopped here what runs on at the next owner.
 */
final class StopAnswers {
    private static final Duration SURE_AGAIN = Duration.ofMillis(100);
    private static final int LOOKS = 20;
    private static final Failure LOST = Failure.platform(Errors.UNAVAILABLE, "the execution is another host's now; ask again", true);

    private final Fence fence;
    private final Withheld withheld;
    private final BiConsumer<Duration, Runnable> later;

    /** @param later does something on the shard's thread, after so long */
    StopAnswers(Fence fence, Withheld withheld, BiConsumer<Duration, Runnable> later) {
        this.fence = fence;
        this.withheld = withheld;
        this.later = later;
    }

    void answer(Action.AnswerCancel answer) {
        answer(answer, LOOKS);
    }

    /** @param looks so often yet, while the group is not heard */
    private void answer(Action.AnswerCancel answer, int looks) {
        if (answer.failure() != null) {
            answer.listener().onFailed(answer.failure());
            return;
        }
        switch (fence.of(answer.slot(), answer.epoch())) {
            case OURS -> answer.listener().onDone(answer.byThis());
            case UNKNOWN -> {
                if (looks > 0) {
                    later.accept(SURE_AGAIN, () -> answer(answer, looks - 1));
                } else {
                    answer.listener().onFailed(ActionPerformer.AWAY);
                }
            }
            case LOST -> {
                withheld.count(Withheld.Effect.ANSWER);
                answer.listener().onFailed(LOST);
            }
        }
    }
}
