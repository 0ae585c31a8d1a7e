package dev.sand.datalayer;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the Cassandra cluster is, and how the platform's keyspace is kept in it.
 *
 * @param contactPoints nodes to ask first; the rest is learned from them
 * @param datacenter whose nodes are asked; null: the contact points'
 * @param keyspace made at start when it is not there
 * @param replication of a keyspace that is made, as CQL has it
 * @param timeout of one call; a call for a large value gets more by its size
 * @param connectWithin how long the start waits for a cluster that is not there yet
 * @param user and {@code password}: or null for a cluster that asks for none
 */
public record CassandraOptions(
        List<InetSocketAddress> contactPoints, String datacenter, String keyspace, String replication, Duration timeout,
        Duration connectWithin, String user, String password) {
    public static final int PORT = 9042;
    private static final String ONE_COPY = "{'class': 'SimpleStrategy', 'replication_factor': 1}";

    public CassandraOptions {
        if (contactPoints.isEmpty()) {
            throw new IllegalArgumentException("name at least one Cassandra node");
        }
        if (!keyspace.matches("[a-z][a-z0-9_]{0,47}")) {
            throw new IllegalArgumentException("a keyspace's name has up to 48 lower-case letters, digits and _: " + keyspace);
        }
    }

    /** @param nodes {@code HOST[:PORT],…} */
    public static CassandraOptions of(String nodes) {
        return new CassandraOptions(addresses(nodes), null, "sand", ONE_COPY, Duration.ofSeconds(5), Duration.ofMinutes(5), null, null);
    }

    public CassandraOptions withKeyspace(String name, String copies) {
        return new CassandraOptions(contactPoints, datacenter, name, copies, timeout, connectWithin, user, password);
    }

    /** @param copies of each value, spread over the cluster's nodes */
    public CassandraOptions withReplication(int copies) {
        return withKeyspace(keyspace, "{'class': 'SimpleStrategy', 'replication_factor': " + copies + "}");
    }

    public CassandraOptions withTimes(Duration call, Duration connect) {
        return new CassandraOptions(contactPoints, datacenter, keyspace, replication, call, connect, user, password);
    }

    public CassandraOptions withLogin(String name, String secret) {
        return new CassandraOptions(contactPoints, datacenter, keyspace, replication, timeout, connectWithin, name, secret);
    }

    private static List<InetSocketAddress> addresses(String nodes) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String node : nodes.split(",")) {
            int colon = node.lastIndexOf(':');
            boolean named = colon > 0 && !node.endsWith("]");
            String host = named ? node.substring(0, colon) : node;
            try {
                addresses.add(new InetSocketAddress(host.strip(), named ? Integer.parseInt(node.substring(colon + 1).strip()) : PORT));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("not HOST[:PORT]: " + node, e);
            }
        }
        return addresses;
    }

    @Override
    public String toString() {
        return contactPoints + ", keyspace " + keyspace + " " + replication + (user == null ? "" : ", user " + user + ", password ***");
    }
}
