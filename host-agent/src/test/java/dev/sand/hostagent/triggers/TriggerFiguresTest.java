package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.triggers.TriggerFigures.QueueReading;
import java.util.List;
import org.junit.jupiter.api.Test;

class TriggerFiguresTest {
    @Test
    void queuesOverTheMostAreCountedTogetherAndOneThatHasGoneGivesItsPlaceUp() {
        TriggerFigures figures = new TriggerFigures();
        for (int i = 0; i < TriggerFigures.MOST_QUEUES; i++) {
            figures.queue(new TriggerFigures.Name("shop", "q" + i), name -> false).deliveries++;
        }
        figures.queue(new TriggerFigures.Name("shop", "late"), name -> false).deliveries++;
        figures.queue(new TriggerFigures.Name("shop", "later"), name -> false).deliveries++;
        assertThat(figures.read(List.of()).queues()).hasSize(TriggerFigures.MOST_QUEUES + 1)
                .contains(new QueueReading("other", "other", 0, 0, 2, 0, 0, 0));
        figures.queue(new TriggerFigures.Name("shop", "new"), name -> name.trigger().equals("q7")).deliveries++;
        assertThat(figures.read(List.of()).queues()).contains(new QueueReading("shop", "new", 0, 0, 1, 0, 0, 0))
                .doesNotContain(new QueueReading("shop", "q7", 0, 0, 1, 0, 0, 0));
    }
}
