package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.LeftOut;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some files of a version written anew: the rest of the next version is as in that one.
 *
 * @param base version that whoever edits has seen
 * @param files what is in each, by path inside the application; null: the file goes
 */
public record Edits(int base, Map<String, byte[]> files) {
    private static final int MOST = 1_000;

    /**
     * @param body {@code {"base": 3, "files": {"grains/a/handler.py": "…", "old.txt": null, "icon.png": {"base64": "…"}}}}
     * @throws dev.sand.frontend.http.ProblemException 400
     */
    public static Edits read(byte[] body) {
        JsonNode read = Json.read(body);
        if (!read.path("base").isInt() || !read.path("files").isObject()) {
            throw Problems.badRequest("Edits are {\"base\": VERSION, \"files\": {PATH: TEXT, {\"base64\": BYTES} or null}}.").asException();
        }
        Map<String, byte[]> files = new LinkedHashMap<>();
        read.get("files").properties().forEach(file -> files.put(file.getKey(), content(file.getKey(), file.getValue())));
        if (files.size() > MOST) {
            throw Problems.badRequest("Edits are of " + MOST + " files at most, not " + files.size() + ": deploy the folder.").asException();
        }
        return new Edits(read.get("base").intValue(), files);
    }

    private static byte[] content(String path, JsonNode file) {
        if (file.isTextual()) {
            return file.textValue().getBytes(StandardCharsets.UTF_8);
        }
        if (file.isObject() && file.size() == 1 && file.path("base64").isTextual()) {
            try {
                return Base64.getDecoder().decode(file.get("base64").textValue());
            } catch (IllegalArgumentException e) {
                throw Problems.badRequest("What is in file " + path + " is no base64: " + e.getMessage()).asException();
            }
        }
        if (!file.isNull()) {
            throw Problems.badRequest("File " + path + " is neither a text, nor {\"base64\": BYTES}, nor null.").asException();
        }
        return null;
    }

    /** To a copy of the base. @throws dev.sand.frontend.http.ProblemException 422 for a path that leaves the folder */
    void applyTo(Path folder) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            List<String> segments = EntryName.segments(file.getKey());
            Path path = folder.resolve(String.join("/", segments));
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || segments.stream().anyMatch(LeftOut::is)) {
                throw Archive.refuse("'" + file.getKey() + "' is no file of an application").asException();
            }
            for (Path above = path.getParent(); !above.equals(folder); above = above.getParent()) {
                if (Files.isRegularFile(above, LinkOption.NOFOLLOW_LINKS)) {
                    throw Archive.refuse("'" + file.getKey() + "' is below a file").asException();
                }
            }
            // Files of a bundle are read-only: a new one takes the place.
            boolean executable = Files.isExecutable(path);
            Files.deleteIfExists(path);
            if (file.getValue() != null) {
                Files.createDirectories(path.getParent());
                Files.write(path, file.getValue(), StandardOpenOption.CREATE_NEW);
                if (executable && !path.toFile().setExecutable(true, false)) {
                    throw new IOException("cannot make " + path + " executable");
                }
            }
        }
    }
}
