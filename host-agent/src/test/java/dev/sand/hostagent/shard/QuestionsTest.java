package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Question;
import dev.sand.hostagent.core.Question.Answer;
import dev.sand.hostagent.journal.RecordAdapter;
import java.lang.reflect.Proxy;
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

    @Test
    void aHostWithoutQueuesSaysSo() {
        Answer sent = new Questions(null, null, null, null, null).answer(new Action.Ask("e1", "T",
                new Question.Send("shop", "e1", "orders", null, Payload.nullJson())));
        assertThat(sent).isEqualTo(new Answer.Failed(Errors.UNAVAILABLE, "this host agent has no queues", false));
    }
}
