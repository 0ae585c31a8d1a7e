package dev.sand.standalone;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The operator's secrets by application and name, from one JSON file. Read anew when the file has changed. Blocks. */
final class OperatorsSecrets {
    private record Read(long modifiedMs, Map<String, Map<String, String>> values) {}

    private final Path file;
    private volatile Read read = new Read(-1, Map.of());

    /** @param file null: there are none; @throws UncheckedIOException when it cannot be read */
    OperatorsSecrets(Path file) {
        this.file = file;
        of("");
    }

    /** Of what is read from it now: another number, other secrets. */
    long modifiedMs() {
        of("");
        return read.modifiedMs;
    }

    Map<String, String> of(String application) {
        if (file == null) {
            return Map.of();
        }
        try {
            long modifiedMs = Files.getLastModifiedTime(file).toMillis();
            if (modifiedMs != read.modifiedMs) {
                read = new Read(modifiedMs, new JsonMapper().readValue(file.toFile(), new TypeReference<>() {}));
            }
        } catch (IOException e) {
            if (read.modifiedMs < 0) {
                throw new UncheckedIOException("cannot read the secrets in " + file, e);
            }
            // A file that is half written: what was read before still holds.
        }
        return read.values.getOrDefault(application, Map.of());
    }
}
