package dev.sand.standalone;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the program lies, and from there the Python package: the jar is {@code standalone/target/*.jar} of a checkout. */
final class Checkout {
    private Checkout() {}

    /** @return the folder with the package {@code sand}; what it would be in the current folder when none is found */
    static Path pythonPath() {
        Path found = above("grain-worker/src", "sand");
        found = found == null ? above("python", "sand") : found;
        return found == null ? Path.of("grain-worker/src").toAbsolutePath() : found;
    }

    /** @return the folder of the management application, or null: the program comes without it */
    static Path management() {
        return above("management", "sand.yaml");
    }

    /** @return the folder of the wheels that the program brings along (deploy/images/wheels.sh), or null: an index is asked for all */
    static Path wheels() {
        Path found = above("wheels", "requirements.txt");
        return found == null ? above(".sand/wheels", "requirements.txt") : found;
    }

    /** The nearest folder of that place, from the program upwards, that has that in it. */
    private static Path above(String place, String content) {
        try {
            Path here = Path.of(Checkout.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toAbsolutePath();
            for (Path folder = here; folder != null; folder = folder.getParent()) {
                if (Files.exists(folder.resolve(place).resolve(content))) {
                    return folder.resolve(place);
                }
            }
            return null;
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
