package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.DedicatedSpec;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** {@code dedicated} of {@code processes:} in {@code sand.yaml}, and of a request for one process: true, or an object. */
public final class DedicatedReader {
    private static final Set<String> FIELDS = Set.of("memory", "cpus", "pids", "image", "packages");
    private static final Pattern IMAGE = Pattern.compile("[a-z0-9][A-Za-z0-9._/:@-]{0,254}");
    private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]{0,126}[a-z0-9+.]");
    private static final int MOST_PACKAGES = 100;
    /** The least time that Linux gives a container: 1 ms of each 100. */
    private static final double LEAST_CPUS = 0.01;
    private static final int MOST_CPUS = 1024;
    private static final int LEAST_PIDS = 16;
    private static final int MOST_PIDS = 32_768;

    private DedicatedReader() {}

    /** What is wrong, for people. */
    public static final class Wrong extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;
        private final String field;

        private Wrong(String message, String field) {
            super(message);
            this.field = field;
        }

        /** Below which it is wrong, as a JSON Pointer from there. */
        public String pointer() {
            return field == null ? "" : "/" + field;
        }
    }

    /** @return null: it is not dedicated, or nothing is said. @throws Wrong */
    public static DedicatedSpec read(JsonNode said) {
        if (said.isMissingNode() || said.isNull() || said.isBoolean() && !said.booleanValue()) {
            return null;
        }
        if (said.isBoolean()) {
            return DedicatedSpec.PLAIN;
        }
        require(said.isObject(), null, "it is true, or an object with memory, cpus, pids, image and packages");
        for (Iterator<String> names = said.fieldNames(); names.hasNext();) {
            String name = names.next();
            require(FIELDS.contains(name), null, "it has no '" + name + "', but memory, cpus, pids, image and packages");
        }
        long memory = said.hasNonNull("memory") ? memory(said.get("memory")) : 0;
        require(memory == 0 || memory >= ApplicationFolder.LEAST_SANDBOX_MEMORY, "memory",
                "a sandbox needs at least " + ApplicationFolder.LEAST_SANDBOX_MEMORY + " bytes of memory, not " + memory);
        JsonNode cpus = said.path("cpus");
        require(!said.hasNonNull("cpus") || cpus.isNumber() && isCpus(cpus.doubleValue()), "cpus",
                "cpus is 0, or a number from " + LEAST_CPUS + " to " + MOST_CPUS);
        JsonNode pids = said.path("pids");
        require(!said.hasNonNull("pids") || pids.isInt() && pids.intValue() >= LEAST_PIDS && pids.intValue() <= MOST_PIDS,
                "pids", "pids is a number from " + LEAST_PIDS + " to " + MOST_PIDS);
        JsonNode image = said.path("image");
        require(!said.hasNonNull("image") || image.isTextual() && IMAGE.matcher(image.textValue()).matches(),
                "image", "image is the name of an image");
        List<String> packages = packages(said.path("packages"));
        return new DedicatedSpec(memory, cpus.asDouble(0), pids.asInt(0), said.hasNonNull("image") ? image.textValue() : null,
                packages.isEmpty() ? null : packages);
    }

    /** 0: as the application's sandbox. */
    private static boolean isCpus(double cpus) {
        return cpus == 0 || cpus >= LEAST_CPUS && cpus <= MOST_CPUS;
    }

    private static List<String> packages(JsonNode said) {
        List<String> packages = new ArrayList<>();
        if (!said.isMissingNode() && !said.isNull()) {
            require(said.isArray() && said.size() <= MOST_PACKAGES, "packages", "packages is a list of at most " + MOST_PACKAGES + " names");
            for (JsonNode each : said) {
                require(each.isTextual() && PACKAGE.matcher(each.textValue()).matches(), "packages",
                        "'" + each.asText() + "' is no name of a package");
                packages.add(each.textValue());
            }
        }
        return packages;
    }

    private static long memory(JsonNode said) {
        try {
            return Quantity.bytes(said);
        } catch (IllegalArgumentException e) {
            throw new Wrong(e.getMessage(), "memory");
        }
    }

    /** @param field of it, where that is wrong */
    private static void require(boolean holds, String field, String otherwise) {
        if (!holds) {
            throw new Wrong(otherwise, field);
        }
    }
}
