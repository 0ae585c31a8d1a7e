package dev.sand.standalone;

import dev.sand.datalayer.CassandraOptions;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What makes this program a part of a cluster, or all of a platform.
 *
 * @param role which parts run in this process
 * @param hostId name of this host agent or frontend, the same at every start
 * @param kafka servers of the global bus, or null: embedded
 * @param cassandra nodes of the global store, or null: embedded
 * @param advertise host:port where frontends reach this host agent, or null
 * @param agentListen where this host agent listens for frontends, or null
 * @param healthListen where health is told over HTTP, or null
 * @param clusterKey file with the cluster's shared secret, or null
 * @param busCopies of each record; 0: three, or as many as there are brokers
 * @param storeCopies of each value
 * @param storeLogin file with {@code user=} and {@code password=}, or null
 * @param session after which a host that was not heard is given up
 * @param patience how long a start waits for Kafka and for Cassandra
 */
record ClusterOptions(Role role, String hostId, String kafka, String cassandra, String advertise, InetSocketAddress agentListen,
                      InetSocketAddress healthListen, Set<String> labels, Path clusterKey, int busCopies, int storeCopies,
                      Path storeLogin, Duration session, Duration patience) {
    enum Role {
        ALL, HOST, FRONTEND;

        boolean hasHost() {
            return this != FRONTEND;
        }

        boolean hasFrontend() {
            return this != HOST;
        }
    }

    static final String USAGE = """
            options of a cluster's parts:
              --role all|host|frontend   what runs in this process [all]
              --host-id NAME             this host's or frontend's name, the same at every start [local; required in a cluster]
              --bus embedded|kafka:HOST:PORT[,…]          [embedded]
              --store embedded|cassandra:HOST[:PORT][,…]  [embedded]
              --agent-listen HOST:PORT   where a host listens for frontends [0.0.0.0:7264 in a cluster]
              --advertise HOST:PORT      where frontends reach this host [the machine's name and the port of --agent-listen]
              --labels A,B               what placement in sand.yaml may ask for [none]
              --cluster-key FILE         the cluster's shared secret, at least 32 bytes; required in a cluster
              --health-listen HOST:PORT  /livez, /readyz, /metrics, also while it waits to start [none]
              --bus-copies N             copies of each record [0: three, or as many as there are brokers]
              --store-copies N           copies of each value [1]
              --store-login FILE         user=… and password=… for Cassandra [none]
              --session DURATION         a host not heard for so long is given up [3s]
              --wait DURATION            longest wait for Kafka and Cassandra at start [10m]
            """;
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}";
    private static final String LABEL = "[A-Za-z0-9][A-Za-z0-9._=-]{0,62}";
    private static final String LOCAL = "local";

    /** Takes its options out of those given. @throws IllegalArgumentException with one sentence */
    static ClusterOptions take(Map<String, String> given) {
        Values values = new Values(given);
        Role role = values.choice("--role", Role.class, Role.ALL);
        String kafka = values.after("--bus", "kafka:");
        String cassandra = values.after("--store", "cassandra:");
        String hostId = values.text("--host-id", kafka == null ? LOCAL : null);
        InetSocketAddress listen = values.address("--agent-listen", kafka == null || !role.hasHost() ? null : "0.0.0.0:7264");
        String advertise = values.text("--advertise", listen == null ? null : Machine.name() + ":" + listen.getPort());
        ClusterOptions options = new ClusterOptions(role, hostId, kafka, cassandra, advertise, listen,
                values.address("--health-listen", null), labels(values.text("--labels", "")), values.path("--cluster-key"),
                values.number("--bus-copies", 0, 0, 100), values.number("--store-copies", 1, 1, 100), values.path("--store-login"),
                values.duration("--session", "3s"), values.duration("--wait", "10m"));
        options.check();
        return options;
    }

    private static Set<String> labels(String text) {
        Set<String> labels = new TreeSet<>();
        for (String label : text.isBlank() ? new String[0] : text.split(",")) {
            if (!label.strip().matches(LABEL)) {
                throw new IllegalArgumentException("--labels: a label is " + LABEL + ", not '" + label + "'");
            }
            labels.add(label.strip());
        }
        return labels;
    }

    private void check() {
        if (hostId == null) {
            throw new IllegalArgumentException("--host-id is required with --bus kafka:…: a name that stays the same at every start");
        }
        if (!hostId.matches(NAME)) {
            throw new IllegalArgumentException("--host-id is " + NAME + ", not '" + hostId + "'");
        }
        if (kafka == null && (role != Role.ALL || agentListen != null)) {
            throw new IllegalArgumentException((role != Role.ALL ? "--role " + role.name().toLowerCase(Locale.ROOT)
                    : "--agent-listen") + " needs a bus that hosts share: --bus kafka:HOST:PORT");
        }
        if (kafka != null && cassandra == null) {
            throw new IllegalArgumentException("--bus kafka:… needs a store that hosts share: --store cassandra:HOST");
        }
        if (kafka != null && clusterKey == null) {
            throw new IllegalArgumentException("--bus kafka:… needs --cluster-key FILE, the secret that all of the cluster share");
        }
        if (advertise != null && advertise.lastIndexOf(':') < 1) {
            throw new IllegalArgumentException("--advertise is HOST:PORT, not " + advertise);
        }
    }

    boolean isCluster() {
        return kafka != null;
    }

    KafkaBus.Options bus() {
        KafkaBus.Options base = KafkaBus.Options.of(kafka);
        return new KafkaBus.Options(base.servers(), base.maxBacklogBytes(), base.maxRecordBytes(), base.linger(), base.timeout(),
                busCopies, base.prefix());
    }

    KafkaMembership.Options membership() {
        return new KafkaMembership.Options(KafkaMembership.Options.DEFAULT.slots(), session, session.dividedBy(6));
    }

    CassandraOptions store() {
        CassandraOptions base = CassandraOptions.of(cassandra);
        CassandraOptions options = base.withReplication(storeCopies).withTimes(base.timeout(), patience);
        if (storeLogin == null) {
            return options;
        }
        Map<String, String> login = OptionFile.properties(storeLogin);
        if (!login.keySet().equals(Set.of("user", "password"))) {
            throw new IllegalArgumentException("--store-login " + storeLogin + " has the lines user=… and password=…, and no others");
        }
        return options.withLogin(login.get("user"), login.get("password"));
    }

    void show(Map<String, Object> values) {
        values.put("role", role.name().toLowerCase(Locale.ROOT));
        values.put("host-id", hostId);
        values.put("bus", kafka == null ? "embedded" : "kafka:" + kafka);
        values.put("store", cassandra == null ? "embedded" : "cassandra:" + cassandra);
        if (isCluster()) {
            values.put("agent-listen", agentListen == null ? "none" : agentListen);
            values.put("advertise", advertise == null ? "none" : advertise);
            values.put("labels", labels);
            values.put("cluster-key", clusterKey + " (masked)");
            values.put("bus-copies", busCopies == 0 ? "up to three" : busCopies);
            values.put("store-copies", storeCopies);
            values.put("store-login", storeLogin == null ? "none" : storeLogin + " (masked)");
            values.put("session", session.toMillis() + "ms");
            values.put("wait", patience.toSeconds() + "s");
        }
        if (healthListen != null) {
            values.put("health-listen", healthListen);
        }
    }
}
