# Docker's engine and the sandbox image, where they can be had; without them sandboxes are plain processes. Sourced by ./sand.

docker_answers() { command -v docker >/dev/null 2>&1 && docker info >/dev/null 2>&1 </dev/null; }

set_up_docker() {
  [ "${SAND_SANDBOX:-}" = process ] && return
  if ! docker_answers; then
    say "starting Docker's engine"
    as_root "$SAND_CHECKOUT/deploy/docker/ensure-engine.sh" >"$SAND_LOGS/docker.log" 2>&1 </dev/null || true
  fi
  if ! docker_answers; then
    say "warning: no Docker engine answers: sandboxes will be plain processes, without isolation of files and network (see .sand/log/docker.log)"
    return
  fi
  # The script knows by content whether the image is there; it takes a moment then.
  docker image inspect sand-sandbox >/dev/null 2>&1 || say "making the sandbox image (about a minute the first time)"
  if ! "$SAND_CHECKOUT/deploy/images/build.sh" >"$SAND_LOGS/image.log" 2>&1 </dev/null; then
    tail -n 15 "$SAND_LOGS/image.log" >&2
    say "warning: the sandbox image could not be built: sandboxes will be plain processes (see .sand/log/image.log)"
  fi
}
