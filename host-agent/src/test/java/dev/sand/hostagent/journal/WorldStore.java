package dev.sand.hostagent.journal;

import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.process.StoredImages;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Images of processes as the global data layer keeps them: whoever is later has the higher fence. */
final class WorldStore {
    private record Row(ProcessImage image, ProcessPlace place, long fence) {}

    private final Map<String, Row> rows = new HashMap<>();
    /** The same images, by process. */
    private final Map<String, ProcessImage> images = new HashMap<>();
    /** By process, the fence of who has begun to write last: earlier ones come to nothing. */
    private final Map<String, Long> claims = new HashMap<>();

    /** Somebody begins to. */
    void claim(Action.WriteImage write) {
        claims.merge(write.process(), write.place().fence(write.epoch()), Math::max);
    }

    ProcessImage restored(String process) {
        return StoredImages.restored(images, process);
    }

    Payload value(String process, String key) {
        return StoredImages.value(images, process, key);
    }

    ProcessImage image(String process) {
        return rows.containsKey(process) ? rows.get(process).image : null;
    }

    ProcessPlace place(String process) {
        return rows.containsKey(process) ? rows.get(process).place : null;
    }

    /** @param image with the bytes of its values; @return false: a later owner has written */
    boolean write(Action.WriteImage write, ProcessImage image) {
        long fence = write.place().fence(write.epoch());
        Row row = rows.get(write.process());
        if (row != null && row.fence > fence || claims.getOrDefault(write.process(), 0L) > fence) {
            return false;
        }
        StoredImages.put(images, write.process(), image);
        rows.put(write.process(), new Row(images.get(write.process()), write.place().moves() == 0 ? null : write.place(), fence));
        return true;
    }

    /** As {@code ProcessImages.delete} does: the row stays, without an image. */
    void delete(Action.DeleteImage delete) {
        long fence = delete.place().fence(delete.epoch());
        Row row = rows.get(delete.process());
        if (row != null && row.fence > fence || claims.getOrDefault(delete.process(), 0L) > fence) {
            return;
        }
        claims.put(delete.process(), fence);
        images.remove(delete.process());
        rows.put(delete.process(), new Row(null, row != null ? row.place : delete.place().moves() == 0 ? null : delete.place(), fence));
    }

    /** @return as {@code ImageRows.move} does */
    boolean move(Action.MoveImage move) {
        Row row = rows.get(move.process());
        if (row == null || row.image == null || row.place != null && row.place.moves() >= move.to().moves()) {
            return true;
        }
        if (row.fence > move.from().fence(move.epoch())) {
            return false;
        }
        ProcessImage image = row.image;
        images.put(move.process(), new ProcessImage(move.number(), image.about(), image.state(), image.cold(), image.messages(),
                image.taken()));
        rows.put(move.process(), new Row(images.get(move.process()), move.to(), move.to().fence(0)));
        return true;
    }

    /** Of messages that are unread in images, or were read by functions that ended. */
    Set<String> bodies() {
        Set<String> bodies = new HashSet<>();
        rows.values().stream().filter(row -> row.image != null).forEach(row -> {
            row.image.messages().forEach(message -> bodies.add(ProcessWorld.text(message.payload())));
            row.image.state().keySet().stream().filter(key -> key.startsWith("r/")).forEach(key -> bodies.add(key.substring(2)));
        });
        return bodies;
    }
}
