# The web GUI, built with a Node in the Python environment, only when what it is made of changed. Sourced by ./sand.

# Node, npm's ci and the build, below gui/; types come from the frontend's OpenAPI document, and applications that the page deploys from examples/.
build_gui() {
  "$SAND_PYTHON" -m pip install --disable-pip-version-check -q -c "$SAND_CHECKOUT/grain-worker/constraints.txt" \
    -e "$SAND_CHECKOUT/grain-worker[gui]" &&
    cd "$SAND_CHECKOUT/gui" && export PATH="$SAND_LOCAL/venv/bin:$PATH" && npm ci && npm run build
}

# The platform runs without a GUI too: a machine that cannot build it goes on, and says so.
set_up_gui() {
  local hash log="$SAND_LOGS/gui.log"
  hash=$(content_hash gui examples frontend/src/main/resources/openapi.yaml)
  if fresh gui "$hash" && [ -e "$SAND_CHECKOUT/gui/dist/index.html" ]; then
    return
  fi
  if fresh gui "failed $hash"; then
    say "going without the web GUI, which could not be built before; to try again: rm .sand/stamp/gui"
    return
  fi
  say "building the web GUI"
  # The jar is made anew, without the files of earlier builds.
  rm -rf "$SAND_CHECKOUT/gui/dist" "$SAND_CHECKOUT/gui/target/classes" "$SAND_LOCAL/stamp/java"
  # In a shell of its own: a step that fails ends that one alone.
  if (trap - ERR; build_gui) >"$log" 2>&1 </dev/null; then
    stamp gui "$hash"
  else
    rm -rf "$SAND_CHECKOUT/gui/dist"
    stamp gui "failed $hash"
    tail -n 15 "$log" >&2
    say "warning: the web GUI could not be built: the platform goes without it (see .sand/log/gui.log); to try again: rm .sand/stamp/gui"
  fi
}

# test_gui: its own tests, of what was built; the walk through it is one of tests/e2e.
test_gui() (
  export PATH="$SAND_LOCAL/venv/bin:$PATH"
  cd "$SAND_CHECKOUT/gui"
  # The walks through it are left out where there is none: that it does not build is said here.
  [ -e dist/index.html ] || { tail -n 15 "$SAND_LOGS/gui.log"; exit 1; }
  npx --no-install vitest run --reporter=default --reporter=junit --outputFile.junit="$SAND_LOCAL/test-reports/gui.xml"
)
