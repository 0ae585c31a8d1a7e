package dev.sand.globalbus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Kafka broker and controller in a process of its own, from the jars that the module kafka-node names: for tests of
 * any module. It keeps its data and its port over {@link #kill} and {@link #start}, and ends with this process whatever
 * happens. Data are under the system's temporary folder, and are removed by {@link #close}.
 */
public final class KafkaNode implements AutoCloseable {
    /** From a module's folder, where its tests run. */
    private static final Path CLASS_PATH = Path.of("../global-bus/kafka-node/target/class-path");
    private static final Duration START = Duration.ofSeconds(90);
    private static final int LOG_CHARACTERS = 4000;
    /** What deploy/ sets too, as far as it matters to the platform: the two minima. */
    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", "1"),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry("inter.broker.listener.name", "PLAINTEXT"),
            Map.entry("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"),
            Map.entry("group.consumer.min.session.timeout.ms", "1000"),
            Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
            // A broker that was killed is taken back once its session is over: 9 s unless set.
            Map.entry("broker.session.timeout.ms", "1500"),
            Map.entry("broker.heartbeat.interval.ms", "300"),
            Map.entry("auto.create.topics.enable", "false"),
            Map.entry("offsets.topic.num.partitions", "1"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("num.network.threads", "2"),
            Map.entry("num.io.threads", "2"),
            Map.entry("log.cleaner.dedupe.buffer.size", "4194304"));

    private static final class Shared {
        static final KafkaNode NODE = new KafkaNode(Map.of()).start();
    }

    private final Path directory;
    private final Path properties;
    private final String bootstrap;
    private final int behind;
    private Process process;

    /** Prepares a node that is not running yet. @param more properties of the broker */
    public KafkaNode(Map<String, String> more) {
        this(more, 0);
    }

    /** @param via a port at which something passes on to {@link #behind}: clients that come that way stay on it; 0: none */
    public KafkaNode(Map<String, String> more, int via) {
        try {
            this.directory = Files.createTempDirectory(Path.of("/tmp"), "sand-kafka-");
            this.properties = directory.resolve("server.properties");
            int port = FreePort.next();
            this.behind = via == 0 ? 0 : FreePort.next();
            int controllerPort = FreePort.next();
            this.bootstrap = "127.0.0.1:" + port;
            Properties all = new Properties();
            all.putAll(PROPERTIES);
            all.put("listeners", "PLAINTEXT://" + bootstrap + ",CONTROLLER://127.0.0.1:" + controllerPort);
            all.put("advertised.listeners", "PLAINTEXT://" + bootstrap);
            all.put("controller.quorum.bootstrap.servers", "127.0.0.1:" + controllerPort);
            all.put("log.dirs", directory.resolve("data").toString());
            if (via != 0) {
                all.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,VIA:PLAINTEXT");
                all.put("listeners", all.get("listeners") + ",VIA://127.0.0.1:" + behind);
                all.put("advertised.listeners", all.get("advertised.listeners") + ",VIA://127.0.0.1:" + via);
            }
            all.putAll(more);
            try (var out = Files.newBufferedWriter(properties)) {
                all.store(out, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** One running broker for all tests of this process that leave it running. */
    public static KafkaNode shared() {
        return Shared.NODE;
    }

    /** host:port of the broker */
    public String bootstrap() {
        return bootstrap;
    }

    /** The port that {@code via} passes on to. */
    public int behind() {
        return behind;
    }

    /** Starts the broker, or starts it again with what it had; returns when it answers. */
    public KafkaNode start() {
        Path log = directory.resolve("log");
        try {
            List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
                    "-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                    "--enable-native-access=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
                    ownClasses() + ":" + Files.readString(CLASS_PATH).strip(),
                    KafkaNodeMain.class.getName(), properties.toString(), directory.resolve("data/meta.properties").toString()));
            process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitAnswer(log);
        return this;
    }

    /** SIGKILL. */
    public void kill() {
        end();
    }

    /** SIGSTOP: connections stay, nothing is answered. */
    public void pause() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    @Override
    public void close() {
        if (process != null) {
            end();
        }
        try (Stream<Path> files = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Not by onExit, whose future needs a free thread of the common pool. */
    private void end() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAnswer(Path log) {
        long deadline = System.nanoTime() + START.toNanos();
        while (!KafkaProbe.answers(bootstrap)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IllegalStateException("the Kafka node does not answer; its log ends with\n" + end(log));
            }
        }
    }

    private static String end(Path log) {
        try {
            String all = Files.readString(log);
            return all.substring(Math.max(0, all.length() - LOG_CHARACTERS));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
            if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("cannot send " + name + " to the Kafka node");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String ownClasses() {
        return Path.of(KafkaNodeMain.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    }
}
