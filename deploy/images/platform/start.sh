#!/usr/bin/env bash
# Starts the program as the container's only process: signals reach it, and its arguments are the program's.
#   SAND_JVM_OPTIONS   more options for Java
set -euo pipefail
jars=$(printf '%s:' /opt/sand/*.jar /opt/sand/lib/*.jar)
# Names of other containers are asked for again soon: one that was restarted may have another address.
# shellcheck disable=SC2086
exec /opt/java/bin/java --enable-native-access=ALL-UNNAMED -XX:+UseG1GC -XX:G1PeriodicGCInterval=60000 -XX:GCTimeRatio=4 -Xms64m \
  -XX:MaxRAMPercentage=50 -XX:+ExitOnOutOfMemoryError -Dsun.net.inetaddr.ttl=3 -Dsun.net.inetaddr.negative.ttl=1 \
  ${SAND_JVM_OPTIONS:-} -cp "${jars%:}" dev.sand.standalone.Main "$@"
