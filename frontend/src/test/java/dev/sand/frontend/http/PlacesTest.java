package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlacesTest {
    private final Places places = new Places(3, 2);

    @Test
    void whoFillsHisOwnKeepsNobodyElseFromTheirs() throws InterruptedException {
        assertThat(places.tryTake("red")).isTrue();
        assertThat(places.take("red", 0)).isTrue();
        assertThat(places.tryTake("red")).isFalse();
        assertThat(places.take("red", 10)).isFalse();
        assertThat(places.tryTake("blue")).isTrue();
        places.leave("red");
        assertThat(places.tryTake("red")).isTrue();
    }

    @Test
    void thereAreSoManyInAllAndNoneIsLostByWhoGetsNone() throws InterruptedException {
        assertThat(places.tryTake("red")).isTrue();
        assertThat(places.tryTake("red")).isTrue();
        assertThat(places.tryTake("blue")).isTrue();
        for (int i = 0; i < 5; i++) {
            assertThat(places.tryTake("blue")).isFalse();
            assertThat(places.take("blue", 1)).isFalse();
        }
        places.leave("red");
        assertThat(places.take("blue", 0)).isTrue();
        assertThat(places.refusal("uploads").extensions()).containsEntry("limit", 2);
    }
}
