package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharesTest {
    private final Shares shares = new Shares();

    @Test
    void an_application_of_the_default_tenant_holds_its_own() {
        shares.receiving("shop", 5);
        shares.receiving("chat", 7);
        shares.connected("shop", 1);
        assertThat(shares.incoming()).isEqualTo(12);
        assertThat(shares.incoming("shop")).isEqualTo(5);
        assertThat(shares.connections("chat")).isZero();
    }

    @Test
    void those_of_another_tenant_are_one_holder() {
        shares.connected("red--shop", 2);
        shares.connected("red--chat", 1);
        shares.connected("blue--shop", 1);
        assertThat(shares.connections("red--anything")).isEqualTo(3);
        shares.connected("red--shop", -2);
        shares.connected("red--chat", -1);
        assertThat(shares.connections("red--shop")).isZero();
        assertThat(shares.connections("blue--shop")).isEqualTo(1);
    }
}
