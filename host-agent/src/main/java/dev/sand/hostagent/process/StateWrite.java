package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.util.List;
import java.util.Objects;

/** @param value null: the key is deleted */
public record StateWrite(String key, Payload value) {
    public static List<Payload> values(List<StateWrite> writes) {
        return writes.stream().map(StateWrite::value).filter(Objects::nonNull).toList();
    }
}
