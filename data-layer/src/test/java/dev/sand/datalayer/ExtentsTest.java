package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExtentsTest {
    private record Taken(long at, long size) {
        long end() {
            return at + Extents.up(size);
        }
    }

    @Test
    void whatIsTakenNeverOverlapsAndWhatIsGivenBackIsUsedAgain() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            Extents extents = new Extents(0);
            List<Taken> taken = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                if (taken.size() < 20 || random.nextBoolean() && taken.size() < 40) {
                    long size = 1 + random.nextInt(500_000);
                    Taken made = new Taken(extents.take(size), size);
                    assertThat(taken).noneMatch(other -> other.at() < made.end() && made.at() < other.end());
                    assertThat(made.end()).isLessThanOrEqualTo(extents.end());
                    taken.add(made);
                } else {
                    Taken gone = taken.remove(random.nextInt(taken.size()));
                    extents.give(gone.at(), gone.size());
                }
                long inUse = taken.stream().mapToLong(each -> Extents.up(each.size())).sum();
                assertThat(inUse + extents.freeBytes()).isEqualTo(extents.end());
            }
            assertThat(extents.end()).isLessThan(60L * 500_000);
            taken.forEach(each -> extents.give(each.at(), each.size()));
            assertThat(extents.end()).isZero();
        }
    }

    @Test
    void whatIsFreeCannotBeGivenBack() {
        Extents extents = new Extents(0);
        long first = extents.take(10_000);
        extents.take(10_000);
        extents.give(first, 10_000);
        assertThatIllegalStateException().isThrownBy(() -> extents.give(first, 10_000));
        assertThatIllegalStateException().isThrownBy(() -> extents.give(first + Extents.BLOCK, 1));
        assertThatIllegalStateException().isThrownBy(() -> extents.give(extents.end(), 1));
    }
}
