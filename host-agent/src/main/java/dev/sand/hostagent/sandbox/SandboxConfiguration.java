package dev.sand.hostagent.sandbox;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How this host makes sandboxes.
 *
 * @param host this host agent's name, in container names and labels; letters, digits, {@code _.-}
 * @param kind AUTO: Docker where an engine answers, else processes with a warning
 * @param image sandbox image, as deploy/images/build.sh prints it
 * @param engine address of the Docker engine ({@code unix:///…}), or null for DOCKER_HOST and Docker's defaults
 * @param engineTimeout longest wait for an answer of the engine
 * @param startTimeout longest wait for a supervisor to connect
 * @param blank sandboxes kept ready for the next cold application
 * @param python for process sandboxes: the interpreter; must be able to import {@code sand.supervisor} with {@code pythonPath}
 * @param pythonPath for process sandboxes: the folder with the package {@code sand}
 * @param buildNetwork Docker network of build sandboxes that resolve requirements
 * @param buildTimeout longest time of one step of a build
 * @param buildMemoryBytes memory of a build sandbox
 * @param wheels folder with packages that came with the program, or null: none did
 */
public record SandboxConfiguration(
        String host, Kind kind, String image, String engine, Duration engineTimeout, Duration startTimeout, int blank,
        String python, Path pythonPath, String buildNetwork, Duration buildTimeout, long buildMemoryBytes, Path wheels) {

    public enum Kind { AUTO, DOCKER, PROCESS }

    public SandboxConfiguration {
        if (!host.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")) {
            throw new IllegalArgumentException("host name '" + host + "' cannot be part of a container's name");
        }
        if (blank < 0 || blank > 16) {
            throw new IllegalArgumentException("blank sandboxes: 0 to 16, not " + blank);
        }
    }

    public static SandboxConfiguration defaults(String host) {
        return new SandboxConfiguration(host, Kind.AUTO, "sand-sandbox:latest", null, Duration.ofSeconds(30),
                Duration.ofSeconds(30), 1, "python3", Path.of("grain-worker/src"), "bridge", Duration.ofMinutes(10), 2L << 30, null);
    }

    public SandboxConfiguration withKind(Kind value) {
        return new SandboxConfiguration(host, value, image, engine, engineTimeout, startTimeout, blank, python, pythonPath,
                buildNetwork, buildTimeout, buildMemoryBytes, wheels);
    }

    public SandboxConfiguration withImage(String value) {
        return new SandboxConfiguration(host, kind, value, engine, engineTimeout, startTimeout, blank, python, pythonPath,
                buildNetwork, buildTimeout, buildMemoryBytes, wheels);
    }

    public SandboxConfiguration withEngine(String value, Duration timeout) {
        return new SandboxConfiguration(host, kind, image, value, timeout, startTimeout, blank, python, pythonPath,
                buildNetwork, buildTimeout, buildMemoryBytes, wheels);
    }

    public SandboxConfiguration withBlank(int value) {
        return new SandboxConfiguration(host, kind, image, engine, engineTimeout, startTimeout, value, python, pythonPath,
                buildNetwork, buildTimeout, buildMemoryBytes, wheels);
    }

    public SandboxConfiguration withPython(String interpreter, Path path) {
        return new SandboxConfiguration(host, kind, image, engine, engineTimeout, startTimeout, blank, interpreter, path,
                buildNetwork, buildTimeout, buildMemoryBytes, wheels);
    }

    public SandboxConfiguration withWheels(Path value) {
        return new SandboxConfiguration(host, kind, image, engine, engineTimeout, startTimeout, blank, python, pythonPath,
                buildNetwork, buildTimeout, buildMemoryBytes, value);
    }
}
