# How the set-up speaks: one plain line a step on stderr, everything else into .sand/log/. Sourced by ./sand.
SAND_LOCAL="$SAND_CHECKOUT/.sand"
SAND_LOGS="$SAND_LOCAL/log"
mkdir -p "$SAND_LOGS"

say() { printf 'sand: %s\n' "$*" >&2; }

fail() {
  printf 'sand: %s\n' "$*" >&2
  exit 70
}

# logged NAME COMMAND...: runs it with its output in .sand/log/NAME.log; on failure shows the end of that.
logged() {
  local name=$1 log
  shift
  log="$SAND_LOGS/$name.log"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    fail "'$name' failed; all of its output is in $log"
  fi
}

# content_hash PATH...: one hash over names and contents of all files below the paths, without what builds leave there.
content_hash() {
  (
    cd "$SAND_CHECKOUT"
    { find "$@" \( -name target -o -name __pycache__ -o -name node_modules -o -name dist -o -name '*.egg-info' -o -name .pytest_cache -o -name .ruff_cache \) \
      -prune -o -type f -print0 2>/dev/null || true; } | LC_ALL=C sort -z | xargs -0 -r sha256sum | sha256sum | cut -d ' ' -f 1
  )
}

# A command that fails unforeseen ends the set-up with the place, never in silence.
trap 'printf "sand: stopped at line %s of %s: %s\n" "$LINENO" "${BASH_SOURCE[0]}" "$BASH_COMMAND" >&2' ERR

# fresh STAMP HASH: whether the step of that name was last done for that content.
fresh() { [ "$(cat "$SAND_LOCAL/stamp/$1" 2>/dev/null)" = "$2" ]; }

stamp() {
  mkdir -p "$SAND_LOCAL/stamp"
  printf '%s' "$2" >"$SAND_LOCAL/stamp/$1"
}

# Two set-ups at once would build into each other's files: the second waits for the first.
lock_setup() {
  exec {SETUP_LOCK}>"$SAND_LOCAL/lock"
  if ! flock -n "$SETUP_LOCK"; then
    say "another set-up is running here; waiting for it"
    flock "$SETUP_LOCK"
  fi
}

unlock_setup() { exec {SETUP_LOCK}>&-; }

set_up_all() {
  lock_setup
  set_up_system
  set_up_python
  set_up_wheels
  set_up_gui
  set_up_java
  set_up_docker
  unlock_setup
}
