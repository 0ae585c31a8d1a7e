package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only who is trusted says for whom he asks. */
class ProxiesTest {
    private static String client(String trusted, String peer, String... forwarded) {
        HttpFields.Mutable headers = HttpFields.build();
        for (String each : forwarded) {
            headers.add("X-Forwarded-For", each);
        }
        return Proxies.of(trusted).client(peer, headers);
    }

    @Test
    void a_stranger_is_who_he_is() {
        assertThat(client("", "192.0.2.1", "10.0.0.1")).isEqualTo("192.0.2.1");
        assertThat(client("10.1.0.0/16", "10.2.0.1", "198.51.100.7")).isEqualTo("10.2.0.1");
        assertThat(client("10.1.0.0/16", null, "198.51.100.7")).isNull();
    }

    @Test
    void a_proxy_brings_somebody() {
        assertThat(client("10.1.0.0/16", "10.1.255.1", "198.51.100.7")).isEqualTo("198.51.100.7");
        assertThat(client("10.1.0.0/16", "10.1.0.1")).isEqualTo("10.1.0.1");
        assertThat(client("10.1.0.0/16", "10.1.0.1", "203.0.113.9, 198.51.100.7, 10.1.0.2")).as("what he wrote himself does not count")
                .isEqualTo("198.51.100.7");
        assertThat(client("10.1.0.1", "10.1.0.1", "203.0.113.9", "198.51.100.7")).isEqualTo("198.51.100.7");
        assertThat(client("10.1.0.1", "10.1.0.1", "nobody.example")).isEqualTo("10.1.0.1");
        assertThat(client("::1, 2001:db8::/32", "2001:db8:7::1", "2001:db9::1")).isEqualTo("2001:db9::1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy.example", "10.1.0.0/33", "10.1.0.0/x", "10.1", "10.1.0.0/", ",", "::1/129"})
    void what_is_no_network_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Proxies.of(text));
    }
}
