package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
    private static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void isReadAndWritten() {
        TraceContext context = TraceContext.of(TRACEPARENT);
        assertThat(context).isEqualTo(new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true));
        assertThat(context).hasToString(TRACEPARENT);
        assertThat(context.below("0000000000000001")).hasToString("00-0af7651916cd43dd8448eb211c80319c-0000000000000001-01");
        assertThat(TraceContext.of(TRACEPARENT.replace("-01", "-00")).sampled()).isFalse();
        assertThat(TraceContext.of(null)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", "nonsense that is as long as one would be, 55 characters.",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"})
    void whatIsNotWellFormedIsAsIfItWereNotThere(String traceparent) {
        assertThat(TraceContext.of(traceparent)).isNull();
    }

    @Test
    void aLaterVersionMayHaveMore() {
        assertThat(TraceContext.of(TRACEPARENT.replaceFirst("00", "01") + "-more")).isEqualTo(TraceContext.of(TRACEPARENT));
    }

    @Test
    void anExecutionsOwnTraceIsItsIdInHexadecimal() {
        assertThat(TraceContext.traceId("00000000000000000000000001")).isEqualTo("00000000000000000000000000000001");
        assertThat(TraceContext.traceId("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")).isEqualTo("f".repeat(32));
        assertThat(TraceContext.traceId("00000000000000000000000010")).isEqualTo("0".repeat(30) + "20");
        assertThat(TraceContext.traceId("not an id")).matches("[0-9a-f]{32}").isNotEqualTo(TraceContext.traceId("not an ie"));
    }

    @Test
    void spansOfAnExecutionHaveIdsOfTheirOwn() {
        Set<String> ids = new HashSet<>();
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            String execution = Ids.next(i, random);
            for (int attempt = 1; attempt < 4; attempt++) {
                ids.add(TraceContext.runSpanId(execution + "/main", attempt));
                ids.add(TraceContext.spanId(execution + "/main", attempt + " queue"));
            }
            ids.add(TraceContext.spanId(execution, "request"));
        }
        assertThat(ids).hasSize(7000).allMatch(id -> id.matches("[0-9a-f]{16}"));
    }
}
