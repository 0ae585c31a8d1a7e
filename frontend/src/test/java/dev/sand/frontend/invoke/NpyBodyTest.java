package dev.sand.frontend.invoke;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NpyBodyTest {
    private static final String HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n";

    private static ByteBuffer body(String begin, String length, String rest) {
        return ByteBuffer.wrap((begin + length + rest).getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String length(int bytes, int of) {
        StringBuilder length = new StringBuilder();
        for (int i = 0; i < of; i++) {
            length.append((char) (bytes >> 8 * i & 0xff));
        }
        return length.toString();
    }

    @Test
    void anArrayOfEachVersionMayBeOne() {
        assertThat(NpyBody.fault(body("\u0093NUMPY\1\0", length(HEADER.length(), 2), HEADER + "x".repeat(24)))).isNull();
        assertThat(NpyBody.fault(body("\u0093NUMPY\2\0", length(HEADER.length(), 4), HEADER))).isNull();
        assertThat(NpyBody.fault(body("\u0093NUMPY\3\0", length(HEADER.length(), 4), HEADER))).isNull();
        ByteBuffer within = body("..\u0093NUMPY\1\0", length(HEADER.length(), 2), HEADER).position(2);
        assertThat(NpyBody.fault(within)).isNull();
        assertThat(within.position()).isEqualTo(2);
    }

    @Test
    void anythingElseIsNone() {
        assertThat(NpyBody.fault(body("", "", "[1, 2]"))).isEqualTo("it does not begin as one");
        assertThat(NpyBody.fault(body("NUMPY", "", HEADER))).isEqualTo("it does not begin as one");
        assertThat(NpyBody.fault(body("\u0093NUMPY\1\0", "", ""))).isEqualTo("it does not begin as one");
        assertThat(NpyBody.fault(body("\u0093NUMPY\4\0", length(9, 4), HEADER))).isEqualTo("it is of version 4.0");
        assertThat(NpyBody.fault(body("\u0093NUMPY\1\7", length(9, 4), HEADER))).isEqualTo("it is of version 1.7");
        assertThat(NpyBody.fault(body("\u0093NUMPY\1\0", length(HEADER.length() + 1, 2), HEADER))).contains("ends behind the body");
        assertThat(NpyBody.fault(body("\u0093NUMPY\2\0", length(-1, 4), HEADER))).contains("4294967295 bytes");
        String long_ = HEADER.strip() + " ".repeat(256 << 10);
        assertThat(NpyBody.fault(body("\u0093NUMPY\2\0", length(long_.length(), 4), long_))).contains("the limit is 262144");
        assertThat(NpyBody.fault(body("\u0093NUMPY\1\0", length(4, 2), "{  }"))).isEqualTo("its header does not say what is in it");
    }
}
