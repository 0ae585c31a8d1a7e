package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever waits for a sender has those mailboxes hurried that have something of it yet, and no others. */
class SendsUnderWayTest {
    private static final String SENDER = "e1/f";

    private final SendsUnderWay sends = new SendsUnderWay();
    private final List<String> done = new ArrayList<>();
    private final Runnable one = () -> done.add("one");
    private final Runnable other = () -> done.add("other");

    @Test
    void aMailboxThatHasAllOfItsMessagesIsForgotten() {
        sends.begin(SENDER, one);
        sends.begin(SENDER, one);
        sends.begin(SENDER, other);
        sends.done(SENDER, one);
        sends.done(SENDER, other);
        sends.delays(SENDER, () -> done.add("waited"));
        assertThat(done).containsExactly("one");
        sends.done(SENDER, one);
        assertThat(done).containsExactly("one", "waited");
    }

    @Test
    void whatSomebodyElseHasIsWaitedForAndNotHurried() {
        sends.begin(SENDER, one);
        sends.hurriedNoMore(SENDER, one);
        sends.delays(SENDER, () -> done.add("waited"));
        assertThat(done).isEmpty();
        sends.done(SENDER);
        assertThat(done).containsExactly("waited");
    }

    @Test
    void itIsAwaitedWhileSomebodyWaits() {
        assertThat(sends.isAwaited(SENDER)).isFalse();
        sends.begin(SENDER, one);
        assertThat(sends.isAwaited(SENDER)).isFalse();
        sends.delays(SENDER, () -> { });
        assertThat(sends.isAwaited(SENDER)).isTrue();
        sends.done(SENDER, one);
        assertThat(sends.isAwaited(SENDER)).isFalse();
    }
}
