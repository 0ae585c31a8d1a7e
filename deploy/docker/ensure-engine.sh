#!/usr/bin/env bash
# Makes a Docker engine answer: installs docker.io when it is missing, starts dockerd when nothing runs it.
# Exit code 0: an engine answers. 3: none can be had here, and why is on stderr; use process sandboxes (--sandbox process).
set -uo pipefail
deadline=$((SECONDS + ${SAND_ENGINE_SECONDS:-60}))

say() { printf '%s\n' "$*" >&2; }
answers() { timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }
give_up() { say "docker: $1; sandboxes will be plain processes"; exit 3; }

# Whether the pid in that file is that program's.
runs() { [ -r "$2" ] && [ "$(cat "/proc/$(cat "$2")/comm" 2>/dev/null)" = "$1" ]; }

answers && exit 0

if [ -n "${DOCKER_HOST:-}" ] && [[ $DOCKER_HOST != unix://* ]]; then
  give_up "nothing answers at DOCKER_HOST=$DOCKER_HOST"
fi
if [ "$(id -u)" != 0 ]; then
  command -v docker >/dev/null || give_up "it is not installed and this is not root (as root: apt-get install docker.io)"
  give_up "the engine does not answer this user (is it running, and is the user in the group docker?)"
fi
if ! command -v dockerd >/dev/null; then
  command -v apt-get >/dev/null || give_up "it is not installed and there is no apt-get"
  say "docker: installing docker.io"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends docker.io iptables; } \
    >/tmp/sand-docker-install.log 2>&1 || { tail -n 5 /tmp/sand-docker-install.log >&2; give_up "apt-get could not install docker.io"; }
  answers && exit 0
fi

if [ -d /run/systemd/system ]; then
  say "docker: starting the service"
  systemctl start docker >&2 || true
elif ! runs dockerd /var/run/docker.pid; then
  # A killed dockerd leaves pid files, and does not start while any process has such a pid.
  rm -f /var/run/docker.pid
  runs containerd /run/docker/containerd/containerd.pid || rm -f /run/docker/containerd/containerd.pid
  say "docker: starting dockerd (log: /var/log/sand-dockerd.log)"
  # It outlives whoever asked for it: none of their files stay open in it, a lock least of all.
  (
    for descriptor in /proc/self/fd/*; do
      number=${descriptor##*/}
      [ "$number" -le 2 ] || eval "exec $number>&-"
    done
    exec setsid nohup dockerd >/var/log/sand-dockerd.log 2>&1 </dev/null
  ) &
fi

while ! answers; do
  if [ $SECONDS -ge $deadline ]; then
    tail -n 5 /var/log/sand-dockerd.log >&2 2>/dev/null
    give_up "the engine did not answer within ${SAND_ENGINE_SECONDS:-60} s"
  fi
  sleep 0.2
done
