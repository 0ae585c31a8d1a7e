package dev.sand.frontend.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.frontend.hosts.Acceptance.Append;
import dev.sand.frontend.hosts.Acceptance.Host;
import dev.sand.frontend.hosts.Acceptance.Verdict;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a host and the global bus say of one request, in every combination. */
class AcceptanceTest {
    /** {@code now}, and {@code late}: when whoever asked is to be told something; each without and with an earlier host that may have begun it. */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, textBlock = """
            host,      append,    now,      late,     nowBegun, lateBegun
            UNREACHED, NOT_ASKED, WAIT,     REFUSED,  WAIT,     UNSURE
            UNREACHED, ASKED,     WAIT,     UNSURE,   WAIT,     UNSURE
            UNREACHED, TAKEN,     ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            UNREACHED, REFUSED,   REFUSED,  REFUSED,  UNSURE,   UNSURE
            UNREACHED, UNSURE,    WAIT,     UNSURE,   WAIT,     UNSURE
            SENT,      NOT_ASKED, WAIT,     UNSURE,   WAIT,     UNSURE
            SENT,      ASKED,     WAIT,     UNSURE,   WAIT,     UNSURE
            SENT,      TAKEN,     ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            SENT,      REFUSED,   WAIT,     UNSURE,   WAIT,     UNSURE
            SENT,      UNSURE,    WAIT,     UNSURE,   WAIT,     UNSURE
            REFUSED,   NOT_ASKED, REFUSED,  REFUSED,  UNSURE,   UNSURE
            REFUSED,   ASKED,     WAIT,     UNSURE,   WAIT,     UNSURE
            REFUSED,   TAKEN,     ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            REFUSED,   REFUSED,   REFUSED,  REFUSED,  UNSURE,   UNSURE
            REFUSED,   UNSURE,    UNSURE,   UNSURE,   UNSURE,   UNSURE
            ACCEPTED,  NOT_ASKED, ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            ACCEPTED,  ASKED,     ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            ACCEPTED,  TAKEN,     ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            ACCEPTED,  REFUSED,   ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            ACCEPTED,  UNSURE,    ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED
            """)
    void theWholeTable(Host host, Append append, Verdict now, Verdict late, Verdict nowBegun, Verdict lateBegun) {
        assertThat(Acceptance.of(host, append, false, false)).isEqualTo(now);
        assertThat(Acceptance.of(host, append, false, true)).isEqualTo(late);
        assertThat(Acceptance.of(host, append, true, false)).isEqualTo(nowBegun);
        assertThat(Acceptance.of(host, append, true, true)).isEqualTo(lateBegun);
    }

    @Test
    void nobodyWaitsWhenTimeIsUpAndNothingThatMayRunIsCalledRefused() {
        for (Host host : Host.values()) {
            for (Append append : Append.values()) {
                for (boolean begun : new boolean[] {false, true}) {
                    assertThat(Acceptance.of(host, append, begun, true)).isNotEqualTo(Verdict.WAIT);
                    boolean mayRun = begun || host == Host.SENT || EnumSet.of(Append.ASKED, Append.UNSURE).contains(append);
                    if (mayRun) {
                        assertThat(Acceptance.of(host, append, begun, true)).isNotEqualTo(Verdict.REFUSED);
                        assertThat(Acceptance.of(host, append, begun, false)).isNotEqualTo(Verdict.REFUSED);
                    }
                }
            }
        }
    }
}
