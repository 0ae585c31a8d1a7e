package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a version is made of: the files that were deployed, without what their build has compiled. */
public final class VersionFiles {
    /** Largest file that is handed out: it is read whole. */
    private static final long MOST_BYTES = 8 << 20;
    private final Bundles bundles;

    public VersionFiles(Bundles bundles) {
        this.bundles = bundles;
    }

    public ObjectNode list(ApplicationVersion version) throws IOException {
        ObjectNode shown = Json.object().put("application", version.application()).put("version", version.version());
        var files = shown.putArray("files");
        for (Map.Entry<String, Path> file : Preview.filesOf(bundles.folder(version.bundle())).entrySet()) {
            files.addObject().put("path", file.getKey()).put("size", Files.size(file.getValue()))
                    .put("executable", Files.isExecutable(file.getValue()));
        }
        return shown;
    }

    /** Names of those right in that folder, in order; none when there is no such folder. */
    public List<String> namesIn(ApplicationVersion version, String folder) throws IOException {
        Path there = bundles.folder(version.bundle()).resolve(String.join("/", EntryName.segments(folder)));
        if (!Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(there)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).map(file -> file.getFileName().toString())
                    .sorted().toList();
        }
    }

    /** @throws dev.sand.frontend.http.ProblemException 404, 413 */
    public byte[] read(ApplicationVersion version, String path) throws IOException {
        Path file = bundles.folder(version.bundle()).resolve(String.join("/", EntryName.segments(path)));
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw Problem.caller(404, "unknown-file", "Unknown file", "Version " + version.version() + " of application '"
                    + version.application() + "' has no file '" + path + "'.").asException();
        }
        long size = Files.size(file);
        if (size > MOST_BYTES) {
            throw Problem.caller(413, "too-large", "Too large", "File '" + path + "' has " + size + " bytes, and at most " + MOST_BYTES
                    + " are handed out.").with("limit", MOST_BYTES).with("actual", size).asException();
        }
        return Files.readAllBytes(file);
    }

    /** What the second has otherwise than the first. */
    public ObjectNode differences(ApplicationVersion from, ApplicationVersion to) throws IOException {
        return Preview.differences(from, bundles.folder(from.bundle()), to, bundles.folder(to.bundle()));
    }
}
