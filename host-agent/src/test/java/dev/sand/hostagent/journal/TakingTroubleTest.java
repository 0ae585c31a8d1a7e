package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An outage of an hour, which sixteen slots' journals wait for. */
class TakingTroubleTest {
    private static final int SLOTS = 16;
    private static final long TRY_NS = TimeUnit.SECONDS.toNanos(15);
    private final TakingTrouble trouble = new TakingTrouble();
    private final List<String> said = new ArrayList<>();

    private void say(String words) {
        if (words != null) {
            said.add(words);
        }
    }

    @Test
    void anOutageIsSaidAtOnceThenRarelyAndOnceWhenItIsOver() {
        long nowNs = 5;
        for (int tries = 0; tries < 240; tries++, nowNs += TRY_NS) {
            for (int slot = 0; slot < SLOTS; slot++) {
                say(trouble.waits(tries == 0, "away", nowNs));
            }
        }
        assertThat(said).hasSize(6);
        assertThat(said.getFirst()).isEqualTo("a journal cannot be taken yet, and is tried again until it can: away");
        assertThat(said.getLast()).isEqualTo("16 journals cannot be taken yet, after 3000 s: away");
        for (int slot = 0; slot < SLOTS; slot++) {
            say(trouble.over(nowNs));
        }
        assertThat(said.subList(6, said.size())).containsExactly("no journal waits to be taken any more, after 3600 s");
        say(trouble.waits(true, "away", nowNs + 1));
        assertThat(said.getLast()).as("the next one is another outage").startsWith("a journal cannot");
    }
}
