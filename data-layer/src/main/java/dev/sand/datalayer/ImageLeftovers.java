package dev.sand.datalayer;

import dev.sand.datalayer.ImageRows.Row;
import dev.sand.event.ProcessPlace;
import dev.sand.datalayer.StoreException.Kind;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What crashes left among the images of processes, for who looks for leftovers now and then: chunks that no manifest names, when
 * no later write of their process came to find them; and rows of processes that were deleted, which have kept late owners away
 * for long enough. Each write and deletion gives the row another version, so what stayed at one has nobody at work on it.
 */
public final class ImageLeftovers {
    private final GlobalStore store;
    private final ImageRows rows;

    public ImageLeftovers(GlobalStore store) {
        this.store = store;
        this.rows = new ImageRows(store);
    }

    /** Processes that have leftovers, each with the version of its row, 0 where it has none. */
    public Map<String, Long> of(String application) {
        Map<String, Set<String>> there = new HashMap<>(); // listed first: what comes meanwhile is not among them
        ImageRows.PARTS.all(application).forEach(scope -> there.putAll(ImageChunks.byProcess(store, scope)));
        Map<String, Long> left = new HashMap<>();
        for (Row row : rows.list(application, null, Integer.MAX_VALUE)) {
            Set<String> chunks = there.remove(row.process());
            if (row.damage() == null && row.image() == null
                    || chunks != null && !unnamed(ImageRows.scope(application, row.process()), row, chunks).isEmpty()) {
                left.put(row.process(), row.version());
            }
        }
        there.keySet().forEach(process -> left.put(process, 0L));
        return left;
    }

    /** Of an application that is deleted: whether a host that was late has written something. */
    public boolean hasAny(String application) {
        return ImageRows.PARTS.all(application).stream().anyMatch(scope -> !store.keys(ImageRows.TABLE, scope, "", null, 1).isEmpty());
    }

    /** In which slot the process lives, when it was moved by hand; else null. */
    public ProcessPlace place(String application, String process) {
        return rows.get(ImageRows.scope(application, process), process).place();
    }

    public void deleteAll(String application) {
        ProcessImages.deleteApplication(store, application);
    }

    /** Deletes a process's leftovers, unless its row has another version by now. */
    public void delete(String application, String process, long version) {
        String scope = ImageRows.scope(application, process);
        Row row = rows.get(scope, process);
        if (row.version() != version) {
            return;
        }
        List<String> there = List.copyOf(new ImageChunks(store, scope, process).there());
        try {
            rows.deleteUnnamed(scope, process, version, unnamed(scope, row, there));
            if (row.image() == null && version != 0) {
                rows.delete(scope, process, version);
            }
        } catch (StoreException e) {
            if (e.kind() != Kind.CONFLICT) {
                throw e;
            }
        }
    }

    /** Those of the chunks that the row does not name; none when that is not known. */
    private List<String> unnamed(String scope, Row row, Collection<String> chunks) {
        if (row.damage() != null) {
            return List.of();
        }
        if (row.image() == null) {
            return List.copyOf(chunks);
        }
        try {
            ImageChunks of = new ImageChunks(store, scope, row.process());
            Set<String> named = rows.withIndex(scope, row, (found, index) ->
                    found.version() == row.version() ? of.keys(found.image(), index.chunks()) : null);
            return named == null ? List.of() : chunks.stream().filter(key -> !named.contains(key)).toList();
        } catch (StoreException e) {
            if (e.kind() != Kind.BROKEN) {
                throw e;
            }
            return List.of();
        }
    }
}
