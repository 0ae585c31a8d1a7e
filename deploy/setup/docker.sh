# Docker's engine and the sandbox image, where they can be had; without them sandboxes are plain processes. Sourced by ./sand.

docker_answers() { command -v docker >/dev/null 2>&1 && docker info >/dev/null 2>&1 </dev/null; }

set_up_docker() {
  local hash
  [ "${SAND_SANDBOX:-docker}" = process ] && return
  command -v docker >/dev/null 2>&1 || return 0
  if ! docker_answers; then
    say "starting Docker's engine"
    as_root "$SAND_CHECKOUT/deploy/docker/ensure-engine.sh" >"$SAND_LOGS/docker.log" 2>&1 </dev/null || true
  fi
  if ! docker_answers; then
    say "warning: no Docker engine answers: sandboxes will be plain processes, without isolation of files and network (see .sand/log/docker.log)"
    return
  fi
  hash=$(content_hash deploy/images grain-worker/src/sand)
  if fresh image "$hash" && docker image inspect sand-sandbox >/dev/null 2>&1; then
    return
  fi
  say "building the sandbox image (a minute the first time)"
  if "$SAND_CHECKOUT/deploy/images/build.sh" </dev/null >"$SAND_LOGS/image.log" 2>&1; then
    stamp image "$hash"
  else
    tail -n 15 "$SAND_LOGS/image.log" >&2
    say "warning: the sandbox image could not be built: sandboxes will be plain processes (see .sand/log/image.log)"
  fi
}
