# A JDK of at least 25 and the Java program, built only when its sources changed. Sourced by ./sand.
SAND_JDK_VERSION=25

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
  for home in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
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
    for package in openjdk-25-jdk-headless temurin-25-jdk openjdk-26-jdk-headless; do
      apt-cache show "$package" >/dev/null 2>&1 && apt_install jdk "$package" && break
    done
    SAND_JAVA_HOME=$(find_jdk) || fail "no JDK of version $SAND_JDK_VERSION or later: install one below /usr/lib/jvm, or set JAVA_HOME to it"
  fi
  export SAND_JAVA_HOME
}

java_sources_hash() {
  local module sources=(pom.xml)
  for module in event local-bus global-bus data-layer workflow host-agent frontend standalone; do
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
  rm -f "$cache"
  say "keeping what Java learns in a short run (about 20 s)"
  if ! "$SAND_PYTHON" -P "$SAND_CHECKOUT/deploy/setup/train.py" "$cache" >"$SAND_LOGS/train.log" 2>&1 </dev/null; then
    say "that run did not end well ($SAND_LOGS/train.log); starts will be slower"
    rm -f "$cache"
  fi
  stamp trained done
}

platform_is_built() { compgen -G "$SAND_CHECKOUT/standalone/target/standalone-*.jar" >/dev/null; }
