package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.process.Change;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That all hosts know of something new counts once none of an earlier version has been there for a while, and not before. */
class ReadersTest {
    private static final long S = 1_000_000_000L;

    private final Readers readers = new Readers();

    private static HostCard card(String host, String address, int reads) {
        return new HostCard(host, "1", address, Set.of(), 0, false, 0, reads);
    }

    private static HostCard now(String host) {
        return card(host, "10.0.0.1:1", Change.Passed.SCHEMA);
    }

    private boolean know(long second, HostCard... hosts) {
        readers.onHosts(List.of(hosts), "here", second * S);
        return readers.knowPassed();
    }

    @Test
    void oneOfBeforeThatIsSilentMayBeBack() {
        HostCard before = card("before", "10.0.0.2:1", 0);
        assertThat(know(0, now("here"), before)).isFalse();
        assertThat(know(100, now("here"))).isFalse();
        assertThat(know(159, now("here"))).isFalse();
        assertThat(know(160, now("here"))).isTrue();
        assertThat(know(161, now("here"), before)).isFalse();
        assertThat(know(162, now("here"))).isFalse();
        assertThat(know(222, now("here"), now("other"))).isTrue();
    }

    @Test
    void whoDoesNotHearOfItselfMayNotHaveHeardOfOthers() {
        assertThat(know(0, now("other"))).isFalse();
        assertThat(know(100, now("other"))).isFalse();
    }

    @Test
    void aPlatformInOneProcessHasItsBusForItself() {
        assertThat(know(0, card("here", null, Change.Passed.SCHEMA))).isTrue();
        assertThat(know(0, card("here", null, Change.Passed.SCHEMA - 1))).isFalse();
    }
}
