# The containers of a cluster on this machine: compose, the images, and the words up, down and status. Sourced by ./sand.

run_cluster() {
  case "${1:-}" in
    up)
      case " $* " in
        *' --help '* | *' -h '*) set_up_python ;;
        *) set_up_cluster ;;
      esac
      ;;
    *) set_up_python ;;
  esac
  PYTHONPATH="$SAND_CHECKOUT/deploy" exec "$SAND_PYTHON" -P -m cluster "$@"
}

# Containers where Docker answers, plain processes otherwise (or with SAND_CLUSTER_KIND=processes).
set_up_cluster() {
  set_up_all
  if [ -z "${SAND_CLUSTER_KIND:-}" ]; then
    SAND_CLUSTER_KIND=containers
    docker_answers || SAND_CLUSTER_KIND=processes
  fi
  export SAND_CLUSTER_KIND
  if [ "$SAND_CLUSTER_KIND" = containers ]; then
    set_up_compose
    set_up_images
  else
    say "warning: no Docker: the cluster's parts and its sandboxes are plain processes, without isolation of files and network"
    set_up_java17
    [ -n "${SAND_JAVA17_HOME:-}" ] || fail "Cassandra runs on Java 17 only, and there is none"
    PATH="$PATH:/usr/sbin" need nginx nginx-light
    export_lines jars "$SAND_CHECKOUT/deploy/images/cluster.sh" jars
  fi
}

# export_lines NAME COMMAND...: runs it and exports the lines NAME=VALUE that it prints; what it says is shown and kept.
export_lines() {
  local name=$1 line
  shift
  lock_setup
  if ! "$@" 2> >(tee "$SAND_LOGS/$name.log" | sed -u 's/^/sand: /' >&2) >"$SAND_LOCAL/$name.env"; then
    fail "the $name of the cluster could not be made; all of the output is in .sand/log/$name.log"
  fi
  while read -r line; do
    export "${line?}"
  done <"$SAND_LOCAL/$name.env"
  unlock_setup
}

set_up_compose() {
  docker compose version >/dev/null 2>&1 || need docker-compose docker-compose
}

# The names of all images as variables: a cluster and the tests start exactly what these sources make.
set_up_images() {
  SAND_SANDBOX_IMAGE=$("$SAND_CHECKOUT/deploy/images/build.sh" 2>"$SAND_LOGS/image.log")
  export SAND_SANDBOX_IMAGE
  export_lines images "$SAND_CHECKOUT/deploy/images/cluster.sh"
}
