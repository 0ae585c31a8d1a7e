package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopicsTest {
    @Test
    void a_topic_says_by_its_name_whose_it_is_and_what_for() {
        assertThat(Topics.of("a--shop", List.of("pay"))).allMatch(Topics::isOurs).allMatch(topic -> Topics.isOf("a--shop", topic))
                .noneMatch(topic -> Topics.isOf("shop", topic) || Topics.isOf("a", topic));
        assertThat(Topics.purpose("work.a--shop.pay")).isEqualTo("work");
        assertThat(Topics.nameIn("work.a--shop.pay")).isEqualTo("pay");
        assertThat(Topics.applicationOf("work.a--shop.pay")).isEqualTo("a--shop");
        assertThat(Topics.nameIn("journal.shop")).isNull();
    }

    @Test
    void queues_are_an_applications_too_and_asked_for_apart() {
        assertThat(Topics.isOurs(Topics.queue("shop", "orders"))).isTrue();
        assertThat(Topics.isOf("shop", Topics.queue("shop", "orders"))).isFalse();
    }

    @Test
    void the_memberships_are_of_no_application_and_what_looks_like_neither_is_somebody_elses() {
        assertThat(List.of("slots", "hosts")).allMatch(Topics::isOurs).allMatch(topic -> Topics.applicationOf(topic) == null);
        assertThat(List.of("work", "work.shop", "journal.shop.old", "slots.2", "__consumer_offsets", "orders", ""))
                .noneMatch(Topics::isOurs);
        assertThat(Topics.isOf("shop", "journal.shop.old")).isFalse();
    }
}
