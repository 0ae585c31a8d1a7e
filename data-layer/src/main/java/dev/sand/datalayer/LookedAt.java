package dev.sand.datalayer;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.LogStore.Page;
import dev.sand.datalayer.LogStore.Which;
import java.util.ArrayList;
import java.util.List;

/** Lines gathered one by one, in the order in which they are looked at, until there are enough, or enough were looked at. */
final class LookedAt {
    private final Which which;
    private final int limit;
    private final List<Line> lines = new ArrayList<>();
    private long cursor;
    private int looks;
    private boolean more;

    /** @param from the cursor of a look that finds nothing to look at */
    LookedAt(Which which, int limit, long from) {
        this.which = which;
        this.limit = limit;
        this.cursor = from;
    }

    /** @return whether the next one is wanted too */
    boolean look(Line line) {
        boolean fits = which.has(line);
        if (fits && lines.size() == limit || ++looks > LogStore.MOST_LOOKED_AT) {
            more = true;
            return false;
        }
        cursor = line.sequence();
        if (fits) {
            lines.add(line);
        }
        return true;
    }

    /** There is nothing more up to there. */
    void passed(long sequence) {
        cursor = Math.max(cursor, sequence);
    }

    Page oldestFirst() {
        return new Page(lines, cursor, more);
    }

    Page newestFirst() {
        return new Page(lines.reversed(), cursor, more);
    }
}
