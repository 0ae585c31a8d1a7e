package dev.sand.standalone;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the program lies, and from there the Python package: the jar is {@code standalone/target/*.jar} of a checkout. */
final class Checkout {
    private Checkout() {}

    /** @return the folder with the package {@code sand}; what it would be in the current folder when none is found */
    static Path pythonPath() {
        try {
            Path here = Path.of(Checkout.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toAbsolutePath();
            for (Path folder = here; folder != null; folder = folder.getParent()) {
                for (String place : new String[] {"grain-worker/src", "python"}) {
                    if (Files.isDirectory(folder.resolve(place).resolve("sand"))) {
                        return folder.resolve(place);
                    }
                }
            }
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return Path.of("grain-worker/src").toAbsolutePath();
    }
}
