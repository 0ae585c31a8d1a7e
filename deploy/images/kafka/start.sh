#!/usr/bin/env bash
# Writes server.properties from the environment (KAFKA_A_B=v is a.b=v, as in the official image), formats the data folder the
# first time and becomes the broker. CLUSTER_ID names the cluster.
set -euo pipefail
home=${KAFKA_HOME:-/opt/kafka}
data=${KAFKA_LOG_DIRS:-/var/lib/kafka/data}
properties=${KAFKA_PROPERTIES:-/tmp/server.properties}

# A dash is ___ and an underscore __ in a variable's name.
{
  echo "log.dirs=$data"
  env | sed -n 's/^KAFKA_\([A-Z_]*\)=/\1=/p' | grep -Ev '^(HEAP_OPTS|OPTS|JVM_PERFORMANCE_OPTS|LOG_DIRS|HOME|PROPERTIES|CLASSES)=' \
    | while IFS='=' read -r name value; do
        name=$(printf '%s' "$name" | tr '[:upper:]' '[:lower:]' | sed 's/___/-/g; s/__/\a/g; s/_/./g; s/\a/_/g')
        printf '%s=%s\n' "$name" "$value"
      done
} >"$properties"

run() {
  # shellcheck disable=SC2086
  "$@" "${JAVA_HOME:-/opt/java}/bin/java" ${KAFKA_HEAP_OPTS:--Xms256m -Xmx512m} -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError \
    --enable-native-access=ALL-UNNAMED -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true \
    -Dorg.slf4j.simpleLogger.log.kafka.server=info "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS" \
    ${KAFKA_OPTS:-} -cp "${KAFKA_CLASSES:-$home/libs/*}" "${program[@]}"
}

if [ ! -e "$data/meta.properties" ]; then
  mkdir -p "$data"
  program=(kafka.tools.StorageTool format --ignore-formatted --cluster-id "${CLUSTER_ID:?names the cluster: 22 characters of base64}" --config "$properties")
  run env
fi
program=(kafka.Kafka "$properties")
run exec
