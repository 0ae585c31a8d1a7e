#!/usr/bin/env bash
# The images of the cluster's suites, as lines NAME=IMAGE in the file that is named; called by Maven between packaging and tests.
# No file: the suites are left out, and say so. Only `./sand test` (not --quick) and those who set SAND_TEST_CLUSTER want them.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
rm -f "$target"
[ "${SAND_TEST_CLUSTER:-0}" = 1 ] || exit 0
docker info >/dev/null 2>&1 || { echo "no Docker engine answers: no cluster suites" >&2; exit 0; }
# `mvn test` compiles and packages nothing: the containers would be those of an older source.
for jar in host-agent/target/host-agent-*.jar standalone/target/standalone-*.jar; do
  newer=$(find "$(dirname "$jar")/classes" -name '*.class' -newer "$jar" -print -quit)
  [ -z "$newer" ] || { echo "$jar is older than $newer: ask Maven for 'verify' or 'package', not 'test'" >&2; exit 1; }
done
# The first JDK that can link; ./sand has named it.
if [ -z "${SAND_JAVA_HOME:-}" ]; then
  SAND_CHECKOUT=$PWD
  export SAND_CHECKOUT
  source deploy/setup/report.sh
  source deploy/setup/java.sh
  SAND_JAVA_HOME=$(find_jdk)
  export SAND_JAVA_HOME
fi
{
  echo "SAND_SANDBOX_IMAGE=$(deploy/images/build.sh)"
  deploy/images/cluster.sh
} >"$target.new"
mv "$target.new" "$target"
