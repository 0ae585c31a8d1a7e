package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Some files of a version written anew: the rest of the next version is as in that one.
 *
 * @param base version that whoever edits has seen
 * @param files text by path inside the application; null: the file goes
 */
public record Edits(int base, Map<String, String> files) {

    /** @param body {@code {"base": 3, "files": {"grains/a/handler.py": "…", "old.txt": null}}}; @throws dev.sand.frontend.http.ProblemException 400 */
    public static Edits read(byte[] body) {
        JsonNode read = Json.read(body);
        if (!read.path("base").isInt() || !read.path("files").isObject()) {
            throw Problems.badRequest("Edits are {\"base\": VERSION, \"files\": {PATH: TEXT or null}}.").asException();
        }
        Map<String, String> files = new LinkedHashMap<>();
        read.get("files").properties().forEach(file -> {
            if (!file.getValue().isTextual() && !file.getValue().isNull()) {
                throw Problems.badRequest("File " + file.getKey() + " is neither a text nor null.").asException();
            }
            files.put(file.getKey(), file.getValue().textValue());
        });
        return new Edits(read.get("base").intValue(), files);
    }

    /** To a copy of the base. @throws dev.sand.frontend.http.ProblemException 422 for a path that leaves the folder */
    void applyTo(Path folder) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            List<String> segments = EntryName.segments(file.getKey());
            Path path = folder.resolve(String.join("/", segments));
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || segments.stream().anyMatch(Archive::isLitter)) {
                throw Archive.refuse("'" + file.getKey() + "' is no file of an application").asException();
            }
            if (file.getValue() == null) {
                Files.deleteIfExists(path);
                continue;
            }
            try {
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            } catch (java.nio.file.FileAlreadyExistsException e) {
                throw Archive.refuse("'" + file.getKey() + "' is below a file").asException();
            }
        }
    }
}
