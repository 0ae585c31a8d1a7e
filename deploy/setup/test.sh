# All tests: `mvn verify` (Java, and Python through it) and the end-to-end suite against a real `sand up`. Sourced by ./sand.

run_test() {
  local marks="not long" quick=0 platforms=2 java_status=0 e2e_status=0 gui_status=0 started java_options=(-DexcludedGroups=long)
  case "${1:-}" in
    '') ;;
    --quick) quick=1 platforms=1 marks="not slow and not long" java_options=(-DexcludedGroups=slow,long -Dsand.test.jvm=-XX:TieredStopAtLevel=1) ;;
    # Over the cluster, the management's grains are more than two cores can do beside all that is killed there.
    --all) marks="" java_options=() ; export SAND_TEST_LONG=1 SAND_TEST_CLUSTER_MANAGEMENT=on ;;
    *) say "usage: ./sand test [--quick|--all]"; exit 2 ;;
  esac
  started=$SECONDS
  lock_setup
  set_up_system
  set_up_python
  set_up_gui
  set_up_jdk
  set_up_java17
  set_up_docker
  # For the walk through the GUI, which fails without it; Debian's package.
  [ "$quick" = 1 ] || { want chromium chromium; export SAND_TEST_BROWSER=1; }
  # The suites over a cluster of containers; Maven makes their images between packaging and testing (tests/cluster-images.sh).
  [ "$quick" = 1 ] || export SAND_TEST_CLUSTER=1
  rm -rf "$SAND_LOCAL/test-reports"
  mkdir -p "$SAND_LOCAL/test-reports"
  rm -rf "$SAND_CHECKOUT"/*/target/surefire-reports "$SAND_CHECKOUT"/grain-worker/target/*.xml

  say "building and testing with Maven (output in .sand/log/verify.log)"
  export SAND_TEST_QUICK=$quick
  java_sources_hash >"$SAND_LOCAL/test-reports/java-hash"
  # Four modules at once on two cores, and two classes of the last but one, beside which there is no other: most of their time is
  # waiting for what they have killed or cut off. Maven divides classes by loading them.
  JAVA_HOME="$SAND_JAVA_HOME" mvn -B -T 4 -f "$SAND_CHECKOUT/pom.xml" --fail-at-end -Dmaven.test.failure.ignore=true \
    -Dsand.standalone.forks=2 -Dsand.quick=$quick "${java_options[@]}" verify \
    2>&1 </dev/null | tee "$SAND_LOGS/verify.log" | show_modules || java_status=${PIPESTATUS[0]}
  if [ "$java_status" != 0 ]; then
    grep -E '^\[ERROR\]' "$SAND_LOGS/verify.log" | head -n 40 >&2 || true
    say "mvn verify ended with $java_status"
  elif platform_is_built; then
    stamp java "$(cat "$SAND_LOCAL/test-reports/java-hash")"
  fi
  unlock_setup

  say "the GUI's model"
  test_gui >"$SAND_LOGS/gui-test.log" 2>&1 </dev/null || gui_status=$?

  if platform_is_built; then
    # Hundreds of platforms start here: with what a run has taught, as a user's do, each takes half the time.
    [ "$quick" = 1 ] || train_java
    say "end-to-end tests against a running platform"
    # Each of those at once has a platform of its own; --quick has one. Many start further ones, as the cluster's suites do, and
    # with one compiler too, and without a rehearsal.
    SAND_JVM_OPTIONS="${SAND_JVM_OPTIONS:--XX:TieredStopAtLevel=1 -Dsand.test.rehearsal=off}" "$SAND_PYTHON" -P -m pytest "$SAND_CHECKOUT/tests/e2e" \
      "$SAND_CHECKOUT/examples" -q --tb=short -m "$marks" -n "$platforms" --dist loadfile --junit-xml="$SAND_LOCAL/test-reports/e2e.xml" \
      </dev/null 2>&1 | tee "$SAND_LOGS/e2e.log" >&2 || e2e_status=${PIPESTATUS[0]}
  else
    say "the platform was not built: no end-to-end tests"
    e2e_status=1
  fi
  say "took $((SECONDS - started)) s"
  "$SAND_PYTHON" -P "$SAND_CHECKOUT/deploy/setup/count_tests.py" --maven-status "$java_status" \
    --maven-log "$SAND_LOGS/verify.log" --e2e-status "$e2e_status" --gui-status "$gui_status"
}

# show_modules: one line a Maven module while it runs, so that nobody waits before a silent screen.
show_modules() {
  sed -u -n -e 's/^\[INFO\] Building \(.*[^ ]\)  *\[\([0-9]*\/[0-9]*\)\]$/sand:   [\2] \1/p' >&2
}
