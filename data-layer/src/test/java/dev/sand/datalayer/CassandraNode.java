package dev.sand.datalayer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Cassandra node on loopback, as a process of its own on Java 17, for tests. {@link #shared} is started once for all
 * tests of a run; one that a test kills is the test's own. It ends with the process that started it, even a killed one: a
 * shell holds the other end of its input.
 */
public final class CassandraNode implements AutoCloseable {
    private static final String MARK = "Starting listening for CQL clients";
    private static final long START_SECONDS = 180;
    private static final List<String> EXPORTS = List.of("java.base/jdk.internal.misc", "java.base/java.lang.ref",
            "java.management.rmi/com.sun.jmx.remote.internal.rmi", "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server",
            "java.sql/java.sql", "jdk.unsupported/sun.misc");
    private static final List<String> OPENS = List.of("java.base/java.lang.module", "java.base/jdk.internal.loader",
            "java.base/jdk.internal.ref", "java.base/jdk.internal.reflect", "java.base/jdk.internal.math",
            "java.base/jdk.internal.module", "java.base/jdk.internal.util.jar", "jdk.management/com.sun.management.internal",
            "java.base/sun.nio.ch", "java.base/java.io", "java.base/java.lang", "java.base/java.lang.reflect",
            "java.base/java.util", "java.base/java.nio", "java.rmi/sun.rmi.transport.tcp", "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic");
    private static CassandraNode shared;

    private final Path folder;
    private final int port;
    private Process shell;

    /** Prepares a node that is not running yet. */
    public CassandraNode() {
        try {
            this.folder = Files.createTempDirectory("sand-cassandra-");
            this.port = FreePort.next();
            Files.writeString(folder.resolve("cassandra.yaml"), configuration(FreePort.next()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    static CassandraNode start() {
        CassandraNode node = new CassandraNode();
        node.launch();
        return node;
    }

    static CassandraNode shared() {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    /** A store over this node, in a keyspace of its own. */
    CassandraStore open(String keyspace) {
        return new CassandraStore(options().withKeyspace(keyspace, options().replication()));
    }

    /** host:port where clients connect */
    public String address() {
        return "127.0.0.1:" + port;
    }

    CassandraOptions options() {
        return CassandraOptions.of(address());
    }

    /** As a power failure takes it: nothing is flushed. */
    public void kill() {
        if (shell == null) {
            return;
        }
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
        try {
            shell.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts it, again perhaps, on the same port and data; returns when it answers. */
    public void launch() {
        List<String> command = new ArrayList<>(List.of(java17() + "/bin/java"));
        EXPORTS.forEach(name -> command.addAll(List.of("--add-exports", name + "=ALL-UNNAMED")));
        OPENS.forEach(name -> command.addAll(List.of("--add-opens", name + "=ALL-UNNAMED")));
        command.addAll(List.of("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=256m", "-XX:TieredStopAtLevel=1",
                "-Djdk.attach.allowAttachSelf=true", "-Dcassandra.config=file://" + folder.resolve("cassandra.yaml"),
                "-Dcassandra.storagedir=" + folder, "-Dcassandra-foreground=yes", "-Dcassandra.ring_delay_ms=0",
                "-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.superuser_setup_delay_ms=0",
                "-cp", classPath(), "org.apache.cassandra.service.CassandraDaemon"));
        Path log = folder.resolve("node.out");
        try {
            Files.deleteIfExists(log);
            shell = new ProcessBuilder(Stream.concat(Stream.of("sh", "-c", "\"$@\" < /dev/null > '" + log + "' 2>&1 & read line; kill -9 $!", "sh"),
                    command.stream()).toList()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            awaitStart(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitStart(Path log) throws IOException {
        for (long tenths = 0; tenths < START_SECONDS * 10; tenths++) {
            String said = Files.exists(log) ? Files.readString(log) : "";
            if (said.contains(MARK)) {
                return;
            }
            try {
                if (shell.waitFor(100, TimeUnit.MILLISECONDS) || tenths > 20 && shell.descendants().findAny().isEmpty()) {
                    throw new IllegalStateException("Cassandra ended at its start: " + said);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException("Cassandra does not start: " + Files.readString(log));
    }

    /** @throws IllegalStateException with what to do where the module cassandra-node was not built, or there is no Java 17 */
    private static String classPath() {
        Path file = Path.of("cassandra-node/target/class-path");
        for (Path at : List.of(file, Path.of("data-layer").resolve(file), Path.of("../data-layer").resolve(file))) {
            if (Files.exists(at)) {
                try {
                    return Files.readString(at).strip();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new IllegalStateException("no " + file + ": build with -pl data-layer -am");
    }

    private static Path java17() {
        List<Path> homes = new ArrayList<>();
        Stream.of(System.getenv("SAND_JAVA17_HOME"), System.getenv("JAVA_HOME")).filter(name -> name != null).map(Path::of)
                .forEach(homes::add);
        try (Stream<Path> installed = Files.list(Path.of("/usr/lib/jvm"))) {
            installed.forEach(homes::add);
        } catch (IOException e) {
            // Only those that the environment names.
        }
        return homes.stream().filter(CassandraNode::isJava17).findFirst().orElseThrow(() -> new IllegalStateException(
                "Cassandra runs on Java 17: install it, or name its home in SAND_JAVA17_HOME"));
    }

    private static boolean isJava17(Path home) {
        try {
            return Files.exists(home.resolve("bin/java")) && Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"17");
        } catch (IOException e) {
            return false;
        }
    }

    /** An acknowledged write survives the node: with the default, "periodic", a killed node forgets its last moments. */
    private String configuration(int storagePort) {
        return """
                cluster_name: sand
                num_tokens: 1
                listen_address: 127.0.0.1
                rpc_address: 127.0.0.1
                storage_port: %d
                native_transport_port: %d
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                endpoint_snitch: SimpleSnitch
                commitlog_sync: batch
                commitlog_segment_size: 8MiB
                auto_snapshot: false
                concurrent_reads: 8
                concurrent_writes: 8
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters: [{seeds: "127.0.0.1:%d"}]
                data_file_directories: [%s/data]
                commitlog_directory: %s/commitlog
                saved_caches_directory: %s/saved
                hints_directory: %s/hints
                cdc_raw_directory: %s/cdc
                """.formatted(storagePort, port, storagePort, folder, folder, folder, folder, folder);
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // Somebody cleaned up already.
        }
    }
}
