package dev.sand.event;

import java.util.Set;
import java.util.stream.Stream;

/**
 * What is part of no application: history, caches, other machines' packages and byte code, and the name that requirements get in a
 * sandbox. Whoever takes an application's files in leaves it out, so that what is compared before a deployment is what runs then. The
 * command and the GUI leave out the same (event/vectors/bundle).
 */
public final class LeftOut {
    /** Installed requirements, in the application's folder of a sandbox. */
    public static final String DEPENDENCIES = ".dependencies";
    /** Names that a developer's folder leaves out besides. */
    public static final String IGNORE_FILE = ".sandignore";
    private static final String BYTE_CODE = ".pyc";
    private static final Set<String> NAMES = Set.of(".DS_Store", DEPENDENCIES, ".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache",
            ".sand", IGNORE_FILE, ".svn", ".venv", "__MACOSX", "__pycache__", "node_modules");

    private LeftOut() {}

    /** @param name of a file or a folder */
    public static boolean is(String name) {
        return NAMES.contains(name) || name.endsWith(BYTE_CODE);
    }

    /** @param path below the application's folder, with slashes */
    public static boolean has(String path) {
        return Stream.of(path.split("/")).anyMatch(LeftOut::is);
    }

    /** As patterns of a shell. */
    static Stream<String> patterns() {
        return Stream.concat(NAMES.stream(), Stream.of("*" + BYTE_CODE));
    }
}
