package dev.sand.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.tests.cluster.Conversations.Heard;
import dev.sand.tests.cluster.Conversations.Process;
import dev.sand.tests.cluster.Conversations.Vows;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker finds each thing that it is there for, and nothing where all is well. */
class ConversationsTest {
    private static final Set<String> TWO = Set.of("a/0", "b/0", "a/1", "b/1");

    private static Heard a(int number) {
        return new Heard("a", number);
    }

    private static List<String> wrong(Set<String> keys, Heard... heard) {
        return Conversations.violations(Map.of("a", new Process(Set.of(0, 1), List.of(heard), keys)));
    }

    @Test
    void whereAllIsWellItFindsNothing() {
        assertThat(wrong(TWO, a(0), a(1))).isEmpty();
        Process each = new Process(Set.of(0), List.of(new Heard("b", 0), a(0)), Set.of("a/0", "b/0", "heard"));
        assertThat(Conversations.violations(Map.of("a", each, "b", each))).isEmpty();
        assertThat(wrong(TWO, a(0), a(1), a(2))).as("one that failed has sent something").isEmpty();
    }

    @Test
    void ofAtomicFunctionsThatFailedItWantsNothing() {
        assertThat(vowed(Set.of("v/0"), a(0))).isEmpty();
        assertThat(vowed(Set.of("v/0"), a(0), a(1))).containsExactly("vow 1 of a came to a, and its function failed");
        assertThat(vowed(Set.of("v/0", "v/1"), a(0))).containsExactly("a has v/1, whose function failed");
        assertThat(vowed(Set.of())).containsExactly("vow 0 of a never came to a", "a has not v/0, whose function ended");
        assertThat(vowed(Set.of("v/0"), a(0), a(0))).containsExactly("vow 0 of a came to a twice");
    }

    private static List<String> vowed(Set<String> keys, Heard... heard) {
        return Conversations.violations(Map.of("a", new Process(Set.of(), List.of(), new Vows(Set.of(0), Set.of(1), List.of(heard)), keys)));
    }

    @Test
    void itFindsEachThing() {
        assertThat(wrong(TWO, a(0))).containsExactly("message 1 of a never came to a");
        assertThat(wrong(TWO, a(0), a(1), a(0))).containsExactly("message 0 of a came to a twice");
        assertThat(wrong(TWO, a(0), a(1), a(2), a(2))).as("even of one that failed").containsExactly("message 2 of a came to a twice");
        assertThat(wrong(TWO, a(1), a(0))).containsExactly("message 0 of a came to a after 1");
        assertThat(wrong(TWO, a(0), a(1), new Heard("z", 0))).singleElement().asString().contains("of nobody");
        assertThat(wrong(Set.of("a/0", "b/0", "b/1"), a(0), a(1))).containsExactly("a has not a/1, whose function ended");
        assertThat(wrong(Set.of("a/0", "b/0", "a/1", "b/1", "a/7"), a(0), a(1))).containsExactly("a has a/7, and not the other half");
    }
}
