#!/usr/bin/env bash
# Runs nginx over the frontends of SAND_FRONTENDS ("name:port name:port"). Their names are asked for again every second, and
# nginx is told when an address has changed: a frontend that was restarted may have a new one, and nginx itself asks only once.
set -euo pipefail
list=/tmp/sand-frontends.inc
declare -A address

look_up() {
  local frontend name found
  for frontend in ${SAND_FRONTENDS:?names the frontends: HOST:PORT HOST:PORT}; do
    name=${frontend%:*}
    # One that is down keeps its last address; nginx goes round it.
    found=$(timeout 2 getent ahostsv4 "$name" | awk 'NR == 1 {print $1}') || true
    [ -n "$found" ] && address[$frontend]=$found
    printf 'server %s:%s max_fails=2 fail_timeout=5s;\n' "${address[$frontend]:-127.0.0.1}" \
      "$([ -n "${address[$frontend]:-}" ] && echo "${frontend##*:}" || echo 9)"
  done
}

look_up >"$list"
nginx -q -t
nginx -g 'daemon off;' &
nginx=$!
trap 'kill -QUIT $nginx 2>/dev/null; wait $nginx; exit 0' TERM INT QUIT
while kill -0 $nginx 2>/dev/null; do
  sleep 1 &
  wait $! || true
  look_up >"$list.new"
  if ! cmp -s "$list" "$list.new"; then
    mv "$list.new" "$list"
    nginx -s reload
  fi
done
wait $nginx
