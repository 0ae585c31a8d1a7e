package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Bundles by hand, where a test needs one and not the way it is made. */
final class TestTrees {
    static final String HELLO = "def handle(event, context):\n    return 'hello'\n";

    private TestTrees() {}

    static Path bundle(Home home, String name, Map<String, String> files) throws IOException {
        return write(home.bundles().resolve(name), files);
    }

    static Path write(Path root, Map<String, String> files) throws IOException {
        for (var file : files.entrySet()) {
            Path path = root.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        return root;
    }
}
