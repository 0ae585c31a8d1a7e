package dev.sand.event;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Up to which version applications were deleted. Numbers are never used twice, so whatever of such a version still comes (a
 * request from somebody who has not heard, a record of figures that were waited for, a line of a process that is being ended) is
 * none of the next application of that name.
 */
public final class DeletedVersions {
    public static final DeletedVersions NONE = new DeletedVersions(Map.of());
    /** Beyond it, those that were deleted first are forgotten: nothing of them is under way any more. */
    static final int MOST = 10_000;

    private final Map<String, Integer> last;

    private DeletedVersions(Map<String, Integer> last) {
        this.last = last;
    }

    /** @param version the last one that the application has had */
    public DeletedVersions with(String application, int version) {
        Map<String, Integer> more = new LinkedHashMap<>(last);
        Integer before = more.remove(application); // it is among the last again
        more.put(application, before == null ? version : Math.max(before, version));
        if (more.size() > MOST) {
            more.remove(more.keySet().iterator().next());
        }
        return new DeletedVersions(Collections.unmodifiableMap(more));
    }

    public boolean covers(String application, int version) {
        Integer deleted = last.get(application);
        return deleted != null && version <= deleted;
    }
}
