#!/usr/bin/env bash
# Fills in cassandra.yaml from the environment (names as in the official image) and becomes the node.
#   CASSANDRA_CLUSTER_NAME, CASSANDRA_SEEDS, CASSANDRA_LISTEN_ADDRESS (default: this container's), CASSANDRA_DC, CASSANDRA_RACK,
#   CASSANDRA_JMX_PORT, MAX_HEAP_SIZE, JVM_EXTRA_OPTS
set -euo pipefail
home=${CASSANDRA_HOME:-/opt/cassandra}
data=${CASSANDRA_DATA:-/var/lib/cassandra}
conf=${CASSANDRA_CONF:-/tmp/cassandra}
address=${CASSANDRA_LISTEN_ADDRESS:-$(hostname -i | cut -d ' ' -f 1)}
rpc=${CASSANDRA_RPC_ADDRESS:-0.0.0.0}
broadcast=$rpc
[ "$broadcast" = 0.0.0.0 ] && broadcast=$address
mkdir -p "$conf"
sed -e "s|CLUSTER|${CASSANDRA_CLUSTER_NAME:-sand}|; s|LISTEN|$address|; s|BROADCAST|$broadcast|; s|RPC|$rpc|" \
    -e "s|SEEDS|${CASSANDRA_SEEDS:-$address}|; s|DATA|$data|; s|STORAGE_PORT|${CASSANDRA_STORAGE_PORT:-7000}|" \
    -e "s|NATIVE_PORT|${CASSANDRA_NATIVE_PORT:-9042}|" "$home/cassandra.yaml" >"$conf/cassandra.yaml"
printf 'dc=%s\nrack=%s\n' "${CASSANDRA_DC:-datacenter1}" "${CASSANDRA_RACK:-rack1}" >"$conf/cassandra-rackdc.properties"

# What Cassandra's own jvm17-server.options opens to it.
opened=()
for package in java.base/jdk.internal.misc java.management.rmi/com.sun.jmx.remote.internal.rmi java.rmi/sun.rmi.registry \
    java.rmi/sun.rmi.server java.sql/java.sql java.base/java.lang.ref jdk.unsupported/sun.misc; do
  opened+=(--add-exports "$package=ALL-UNNAMED")
done
for package in java.base/java.lang.module java.base/jdk.internal.loader java.base/jdk.internal.ref java.base/jdk.internal.reflect \
    java.base/jdk.internal.math java.base/jdk.internal.module java.base/jdk.internal.util.jar \
    jdk.management/com.sun.management.internal java.base/sun.nio.ch java.base/java.io java.base/java.lang \
    java.base/java.lang.reflect java.base/java.util java.base/java.nio java.rmi/sun.rmi.transport.tcp \
    java.base/java.util.concurrent java.base/java.util.concurrent.atomic; do
  opened+=(--add-opens "$package=ALL-UNNAMED")
done

# A lone node has nobody to hear gossip from; one with other seeds waits for them as usual.
alone=()
if [ -z "${CASSANDRA_SEEDS:-}" ] || [ "${CASSANDRA_SEEDS%:*}" = "$address" ] || [ "$CASSANDRA_SEEDS" = "$(hostname)" ]; then
  alone=(-Dcassandra.skip_wait_for_gossip_to_settle=0 -Dcassandra.ring_delay_ms=0)
fi
# For nodetool, from this machine or container alone.
jmx=()
[ -z "${CASSANDRA_JMX_PORT:-}" ] || jmx=("-Dcassandra.jmx.local.port=$CASSANDRA_JMX_PORT")
heap=${MAX_HEAP_SIZE:-1G}
# shellcheck disable=SC2086
exec "${JAVA_HOME:-/opt/java}/bin/java" "${opened[@]}" "-Xms$heap" "-Xmx$heap" -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError \
  -XX:MaxDirectMemorySize=256m -Djdk.attach.allowAttachSelf=true -Dcassandra.storagedir="$data" \
  -Dcassandra.config="file://$conf/cassandra.yaml" -Dcassandra-foreground=yes -Dcassandra.superuser_setup_delay_ms=0 \
  "-Dlogback.configurationFile=$home/logback.xml" "${alone[@]}" "${jmx[@]}" ${JVM_EXTRA_OPTS:-} \
  -cp "$conf:${CASSANDRA_CLASSES:-$home/lib/*}" org.apache.cassandra.service.CassandraDaemon
