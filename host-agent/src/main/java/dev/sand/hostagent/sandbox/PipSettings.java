package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How pip reaches packages on this host, carried into a build sandbox: its configuration files and {@code PIP_*} variables as
 * variables, proxies and certificates, and the files and folders that these name.
 *
 * @param environment may hold credentials: never logged
 * @param files to be mounted read-only
 */
record PipSettings(Map<String, String> environment, List<Path> files) {
    private static final Logger LOG = LoggerFactory.getLogger(PipSettings.class);
    /** Ours to say. */
    private static final Set<String> OURS = Set.of("PIP_TARGET", "PIP_USER", "PIP_PREFIX", "PIP_ROOT", "PIP_CACHE_DIR", "PIP_NO_CACHE_DIR",
            "PIP_REQUIRE_VIRTUALENV", "PIP_CONFIG_FILE", "PIP_QUIET", "PIP_VERBOSE", "PIP_LOG", "PIP_REPORT", "PIP_EDITABLE",
            "PIP_REQUIREMENT", "PIP_PYTHON", "PIP_BUILD", "PIP_SRC", "PIP_BREAK_SYSTEM_PACKAGES");
    private static final Set<String> CERTIFICATES = Set.of("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE");
    private static final Set<String> PROXIES = Set.of("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY");
    private static final Set<Path> NEVER = Set.of(Path.of("/"), Path.of("/tmp"), Path.of("/proc"), Path.of("/sys"), Path.of("/dev"), Path.of("/root"), Path.of("/home"));

    static PipSettings ofThisHost() {
        return of(System.getenv(), Path.of(System.getProperty("user.home")), Path.of("/etc"));
    }

    static PipSettings of(Map<String, String> variables, Path userHome, Path etc) {
        Map<String, String> environment = new TreeMap<>();
        for (Path file : configurationFiles(variables, userHome, etc)) {
            environment.putAll(read(file));
        }
        variables.forEach((name, value) -> {
            if (name.startsWith("PIP_") || CERTIFICATES.contains(name) || PROXIES.contains(name.toUpperCase(Locale.ROOT))) {
                environment.put(name, value);
            }
        });
        environment.keySet().removeAll(OURS);
        return new PipSettings(Map.copyOf(environment), files(environment));
    }

    /** Least to most important, as pip reads them. */
    private static List<Path> configurationFiles(Map<String, String> variables, Path userHome, Path etc) {
        String own = variables.get("PIP_CONFIG_FILE");
        if ("/dev/null".equals(own)) {
            return List.of();
        }
        Path xdg = Path.of(variables.getOrDefault("XDG_CONFIG_HOME", userHome.resolve(".config").toString()));
        List<Path> files = new ArrayList<>(List.of(etc.resolve("xdg/pip/pip.conf"), etc.resolve("pip.conf"),
                userHome.resolve(".pip/pip.conf"), xdg.resolve("pip/pip.conf")));
        if (own != null) {
            files.add(Path.of(own));
        }
        return files.stream().filter(Files::isReadable).toList();
    }

    /** [global] and [install], the second more important, as the variables that mean the same. */
    private static Map<String, String> read(Path file) {
        Map<String, String> global = new TreeMap<>();
        Map<String, String> install = new TreeMap<>();
        Map<String, String> section = null;
        String key = null;
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            LOG.warn("cannot read pip's configuration {}: {}", file, e.toString());
            return Map.of();
        }
        for (String line : lines) {
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#") || text.startsWith(";")) {
                continue;
            }
            if (text.startsWith("[")) {
                section = text.equals("[global]") ? global : text.equals("[install]") ? install : null;
                key = null;
            } else if (section != null && key != null && Character.isWhitespace(line.charAt(0))) {
                section.merge(key, text, (before, more) -> (before + " " + more).strip());
            } else if (section != null && text.matches("[^=:]+[=:].*")) {
                String[] parts = text.split("[=:]", 2);
                key = "PIP_" + parts[0].strip().toUpperCase(Locale.ROOT).replace('-', '_');
                section.put(key, parts[1].strip());
            }
        }
        global.putAll(install);
        return global;
    }

    private static List<Path> files(Map<String, String> environment) {
        Set<Path> found = new TreeSet<>();
        for (String value : environment.values()) {
            for (String word : value.split("\\s+")) {
                String path = word.startsWith("file://") ? word.substring("file://".length()) : word;
                if (path.startsWith("/")) {
                    Path named = Path.of(path).normalize();
                    if (Files.exists(named) && !NEVER.contains(named)) {
                        found.add(named);
                    }
                }
            }
        }
        return found.stream().filter(path -> found.stream().noneMatch(other -> !other.equals(path) && path.startsWith(other))).toList();
    }

    /** Whether packages come by way of a server on this machine, which another network cannot reach. */
    boolean needsHostNetwork() {
        return environment.values().stream().anyMatch(value -> value.matches("(?s).*://([^/@\\s]*@)?(localhost|127\\.[0-9.]+|\\[::1])([:/\\s].*)?"));
    }
}
