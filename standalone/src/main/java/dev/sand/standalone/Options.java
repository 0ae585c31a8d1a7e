package dev.sand.standalone;

import dev.sand.frontend.deployment.Quantity;
import dev.sand.frontend.http.Proxies;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the operator says on the command line. Unknown options are refused; {@link #effective} is what holds, for the log.
 *
 * @param home everything of the platform lies below it
 * @param secrets file with {application: {name: value}}, or null
 * @param secretsKey files with the key for stored secrets, the current one first; empty: made on one machine, none in a cluster
 * @param pool blank sandboxes kept ready
 * @param shards event loops of the host agent; 0: by the number of cores
 * @param log {@code text} or {@code json}: what the lines of the log look like
 * @param bodyBytes largest body of an invocation
 * @param python interpreter of process sandboxes
 * @param pythonPath folder with the Python package {@code sand}
 * @param idempotencyWindow how long an Idempotency-Key stands for its execution
 * @param keepExecutions records of ended executions that an application keeps, the newest
 * @param operatorKey file with the key that whoever calls has to show, or null
 * @param allowHosts names beside its own that a platform without a key answers to
 * @param trustedProxies networks whose X-Forwarded-For is believed
 * @param cluster what of a cluster this is
 * @param management whether the platform is controlled by grains, and by whose
 * @param dataPlane where clients of cloud processes come
 * @param usageInterval after which this host writes what applications have used
 */
record Options(Path home, String host, int port, SandboxConfiguration.Kind sandbox, Path secrets, List<Path> secretsKey, int pool,
               int shards,
               String image, String engine, int bodyBytes, Duration drain, boolean folderDeploy, String python, Path pythonPath, String log,
               Duration idempotencyWindow, int keepExecutions, Path operatorKey, List<String> allowHosts, String trustedProxies, ClusterOptions cluster,
               DataPlaneListen dataPlane, ManagementOptions management, Duration usageInterval) {
    static final String USAGE = """
            options of the platform:
              --home DIR                 where it keeps everything (required)
              --listen HOST:PORT         [127.0.0.1:7263]; port 0: any free one
              --operator-key FILE        key that whoever calls has to show, at least 32 characters; required where --listen is not
                                         of this machine alone
              --allow-host NAME[,…]      without a key: names beside localhost that it answers to [none]
              --trusted-proxies NETWORK[,…]   whose X-Forwarded-For is believed, for sign-ins and the audit log; such as
                                         10.1.0.0/16 [none]
              --sandbox auto|docker|process   [auto; where others reach it: docker]
              --pool N                   blank sandboxes kept ready [1]
              --secrets FILE             JSON {application: {name: value}}
              --secrets-key FILE[,OLD…]  key for secrets that are set over the API, at least 32 bytes; older ones open alone [on one
                                         machine: secrets.key in its home; in a cluster: none]
              --shards N                 event loops of the host agent [by cores]
              --image NAME               sandbox image [sand-sandbox:latest]
              --engine ADDRESS           Docker engine [DOCKER_HOST, or Docker's default]
              --body-limit SIZE          largest body of an invocation [6MiB]
              --drain DURATION           longest wait on stop for what runs [20s]
              --log text|json            lines of this program's own log, on stderr [text]
              --folder-deploy            let clients on this machine deploy a folder by its path
              --python FILE              interpreter of process sandboxes [SAND_PYTHON, or python3]
              --python-path DIR          folder with the Python package sand [the checkout's]
              --idempotency-window DURATION   how long an Idempotency-Key stands for its execution [24h]
              --keep-executions N        records of executions that each application keeps, the newest [10000]
              --usage-interval DURATION  after which a host writes what applications have used, 1s to 10m [15s]
              --config FILE              options in a file, YAML or name=value lines; the command line wins
            """ + ManagementOptions.USAGE + DataPlaneListen.USAGE + ClusterOptions.USAGE;
    private static final String LOG = "--log";
    private static final String TEXT = "text";
    private static final String JSON = "json";
    private static final String FOLDER_DEPLOY = "--folder-deploy";
    private static final String CONFIG = "--config";
    private static final int MOST_BODY_BYTES = 1 << 30;

    /** @throws IllegalArgumentException with one sentence for whoever typed it */
    static Options parse(String[] arguments, Map<String, String> environment) {
        Map<String, String> typed = typed(arguments);
        String file = typed.remove(CONFIG);
        Map<String, String> given = file == null ? new LinkedHashMap<>() : OptionFile.read(Path.of(file));
        given.putAll(typed);
        Options options = of(given, environment);
        if (!given.isEmpty()) {
            throw new IllegalArgumentException("there is no option " + String.join(", ", given.keySet()));
        }
        return options;
    }

    private static Map<String, String> typed(String[] arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            String name = arguments[i];
            int equals = name.indexOf('=');
            if (name.equals(FOLDER_DEPLOY)) {
                given.put(name, "true");
            } else if (equals > 0) {
                given.put(name.substring(0, equals), name.substring(equals + 1));
            } else if (i + 1 < arguments.length) {
                given.put(name, arguments[++i]);
            } else {
                throw new IllegalArgumentException(USAGE.contains(name + " ") ? name + " needs a value" : "there is no option " + name);
            }
        }
        return given;
    }

    private static Options of(Map<String, String> given, Map<String, String> environment) {
        String home = given.remove("--home");
        if (home == null) {
            throw new IllegalArgumentException("--home is required");
        }
        String listen = take(given, "--listen", "127.0.0.1:7263");
        int colon = listen.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("--listen is HOST:PORT, not " + listen);
        }
        String secrets = given.remove("--secrets");
        String pythonPath = take(given, "--python-path", environment.getOrDefault("SAND_PYTHON_PATH", null));
        long bodyBytes = Quantity.bytes(take(given, "--body-limit", "6MiB"));
        if (bodyBytes < 1 || bodyBytes > MOST_BODY_BYTES) {
            throw new IllegalArgumentException("--body-limit is from 1 to " + MOST_BODY_BYTES + " bytes, not " + bodyBytes);
        }
        String host = listen.substring(0, colon);
        Path operatorKey = new Values(given).path("--operator-key");
        ClusterOptions cluster = ClusterOptions.take(given);
        boolean reached = operatorKey != null || cluster.isCluster() || !Doors.isThisMachineAlone(host);
        SandboxConfiguration.Kind sandbox = Doors.sandbox(kind(take(given, "--sandbox", "auto")), reached);
        Options options = new Options(Path.of(home).toAbsolutePath().normalize(), host,
                Values.number("--listen", listen.substring(colon + 1), 0, 65_535), sandbox,
                secrets == null ? null : Path.of(secrets), secretsKey(given.remove("--secrets-key")), Values.number("--pool", take(given, "--pool", "1"), 0, 16),
                Values.number("--shards", take(given, "--shards", "0"), 0, 64),
                take(given, "--image", environment.getOrDefault("SAND_IMAGE", "sand-sandbox:latest")), given.remove("--engine"),
                (int) bodyBytes, Duration.ofMillis(Quantity.millis(take(given, "--drain", "20s"))),
                isOn(given.remove(FOLDER_DEPLOY)),
                take(given, "--python", environment.getOrDefault("SAND_PYTHON", "python3")),
                pythonPath == null ? Checkout.pythonPath() : Path.of(pythonPath), log(take(given, LOG, TEXT)),
                new Values(given).duration("--idempotency-window", "24h"),
                Values.number("--keep-executions", take(given, "--keep-executions", "10000"), 100, 1_000_000), operatorKey,
                Doors.names(take(given, "--allow-host", "")), proxies(take(given, "--trusted-proxies", "")), cluster,
                DataPlaneListen.take(given), ManagementOptions.take(given), usageInterval(given));
        Doors.check(options);
        return options;
    }

    private static Duration usageInterval(Map<String, String> given) {
        Duration interval = new Values(given).duration("--usage-interval", "15s");
        if (interval.compareTo(Duration.ofSeconds(1)) < 0 || interval.compareTo(Duration.ofMinutes(10)) > 0) {
            throw new IllegalArgumentException("--usage-interval is from 1s to 10m, not " + interval.toMillis() + "ms");
        }
        return interval;
    }

    private static String proxies(String text) {
        try {
            Proxies.of(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--trusted-proxies: " + e.getMessage());
        }
    }

    private static List<Path> secretsKey(String text) {
        if (text != null && (text.isBlank() || Arrays.stream(text.split(",", -1)).anyMatch(String::isBlank))) {
            throw new IllegalArgumentException("--secrets-key is FILE[,OLD…]: the key's file, and those of older ones");
        }
        return text == null ? List.of() : Arrays.stream(text.split(",")).map(file -> Path.of(file.strip())).toList();
    }

    private static boolean isOn(String text) {
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(FOLDER_DEPLOY + " is true or false, not " + text);
        }
        return "true".equals(text);
    }

    private static String take(Map<String, String> given, String name, String otherwise) {
        String value = given.remove(name);
        return value == null ? otherwise : value;
    }

    /** Known before anything is logged: the rest of the options is read after that. Wrong ones are refused later. */
    static String log(String[] arguments) {
        try {
            Map<String, String> typed = typed(arguments);
            String file = typed.get(CONFIG);
            String said = typed.containsKey(LOG) || file == null ? typed.get(LOG) : OptionFile.read(Path.of(file)).get(LOG);
            return JSON.equals(said) ? JSON : TEXT;
        } catch (IllegalArgumentException e) {
            return TEXT;
        }
    }

    private static String log(String text) {
        if (text.equals(TEXT) || text.equals(JSON)) {
            return text;
        }
        throw new IllegalArgumentException(LOG + " is text or json, not " + text);
    }

    private static SandboxConfiguration.Kind kind(String text) {
        return switch (text) {
            case "auto" -> SandboxConfiguration.Kind.AUTO;
            case "docker" -> SandboxConfiguration.Kind.DOCKER;
            case "process" -> SandboxConfiguration.Kind.PROCESS;
            default -> throw new IllegalArgumentException("--sandbox is auto, docker or process, not " + text);
        };
    }

    /** Everything that holds, by name. Secrets are a file's name here and nothing more. */
    Map<String, Object> effective() {
        Map<String, Object> values = new TreeMap<>();
        values.put("home", home);
        values.put("listen", host + ":" + port);
        values.put("operator-key", operatorKey == null ? "none" : operatorKey + " (masked)");
        if (!allowHosts.isEmpty()) {
            values.put("allow-host", String.join(",", allowHosts));
        }
        if (!trustedProxies.isBlank()) {
            values.put("trusted-proxies", trustedProxies);
        }
        values.put("sandbox", sandbox.name().toLowerCase(Locale.ROOT));
        values.put("secrets", secrets == null ? "none" : secrets + " (masked)");
        values.put("secrets-key", secretsKey.isEmpty() ? "none given" : secretsKey + " (masked)");
        values.put("pool", pool);
        values.put("shards", shards == 0 ? "by cores" : shards);
        values.put("image", image);
        values.put("engine", engine == null ? "default" : engine);
        values.put("body-limit", bodyBytes);
        values.put("drain", drain.toMillis() + "ms");
        values.put("folder-deploy", folderDeploy);
        values.put("log", log);
        values.put("python", python);
        values.put("python-path", pythonPath);
        values.put("keep-executions", keepExecutions);
        values.put("usage-interval", usageInterval.toSeconds() + "s");
        values.put("idempotency-window", idempotencyWindow.toMinutes() + "m");
        management.show(values);
        dataPlane.show(values);
        cluster.show(values);
        return values;
    }
}
