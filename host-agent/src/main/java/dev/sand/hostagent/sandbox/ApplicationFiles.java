package dev.sand.hostagent.sandbox;

import dev.sand.event.LeftOut;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Where an application's code lies in its sandbox, as sys.path: the same at the import check and at run time. */
public final class ApplicationFiles {
    private ApplicationFiles() {}

    /** The content address that an application of these files has, as its version's bundle. */
    public static String address(Path folder) throws IOException {
        return BundleStore.address(folder);
    }

    /** The application's files in a sandbox's folder. */
    public static Path in(Path sandboxDirectory) {
        return sandboxDirectory.resolve("app");
    }

    /** What all grains share, for the supervisor: the application's own modules, then its requirements. */
    public static List<String> path(Path app) {
        return List.of(app.toString(), app.resolve(LeftOut.DEPENDENCIES).toString());
    }

    /** A grain's own folder first. */
    public static List<String> path(Path app, String grain) {
        return List.of(app.resolve("grains").resolve(grain).toString(), app.toString(), app.resolve(LeftOut.DEPENDENCIES).toString());
    }
}
