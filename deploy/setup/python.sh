# The virtual environment in .sand/venv with the sand command and what its tests need. Sourced by ./sand.
SAND_PYTHON="$SAND_LOCAL/venv/bin/python"
export SAND_PYTHON

is_python_311() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Not the environment's own, which goes when it is made anew: whoever works in it has it first in PATH.
find_python() {
  local candidate found
  for candidate in python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
    found=$(PATH=${PATH//"$SAND_LOCAL/venv/bin:"/} command -v "$candidate") || continue
    if is_python_311 "$found"; then
      echo "$found"
      return
    fi
  done
  return 1
}

set_up_python() {
  local python hash
  # The environment is not relocatable: its path is part of what it was made for.
  hash="$(content_hash grain-worker/pyproject.toml grain-worker/constraints.txt) $SAND_CHECKOUT"
  if fresh python "$hash" && [ -x "$SAND_PYTHON" ]; then
    return
  fi
  python=$(find_python) || {
    apt_install python python3 python3-venv || true
    python=$(find_python) || fail "Python 3.11 or later with venv is missing: install it (on Debian: apt-get install python3-venv)"
  }
  say "making the Python environment in .sand/venv"
  rm -rf "$SAND_LOCAL/venv"
  logged venv "$python" -m venv "$SAND_LOCAL/venv"
  logged pip "$SAND_PYTHON" -m pip install --disable-pip-version-check -q -c "$SAND_CHECKOUT/grain-worker/constraints.txt" \
    -e "$SAND_CHECKOUT/grain-worker[dev]"
  stamp python "$hash"
}

# What the management application requires, beside the program: then its sandboxes need no index. Without one now, they ask it later.
set_up_wheels() {
  "$SAND_CHECKOUT/deploy/images/wheels.sh" "$SAND_LOCAL/wheels" >"$SAND_LOGS/wheels.log" 2>&1 ||
    say "warning: the management application's packages cannot be downloaded now: hosts will want an index (see .sand/log/wheels.log)"
}
