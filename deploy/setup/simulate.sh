# The simulators, one host's, the cluster's and that of cloud processes, for longer than a test run has: ./sand simulate [SEEDS] [FIRST]. Sourced by ./sand.

run_simulate() {
  local seeds=${1:-100000} first=${2:-0}
  case "$seeds$first" in
    *[!0-9]*) say "usage: ./sand simulate [SEEDS] [FIRST]"; exit 2 ;;
  esac
  set_up_system
  set_up_jdk
  say "running $seeds seeds from $first on; a violation prints its seed and the replay's command"
  mvn -q -B -f "$SAND_CHECKOUT/pom.xml" -pl host-agent -am -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtest='SimulatorTest#nothingThatMustNotHappenHappens,ClusterTest#nothingThatMustNotHappenHappens,ProcessSimulationTest#nothingIsLostDoubledOrHalfDone+norWhenProcessesGoFromHostToHost' \
    -Dsand.sim.seeds="$seeds" -Dsand.sim.cluster.seeds="$seeds" -Dsand.sim.first="$first" test </dev/null
  say "$seeds seeds from $first on: no violation"
}
