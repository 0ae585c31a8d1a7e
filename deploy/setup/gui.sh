# The web GUI, built with the Node of the Python environment, only when what it is made of changed. Sourced by ./sand.

# npm's ci and the build, below gui/; types come from the frontend's OpenAPI document.
build_gui() (
  export PATH="$SAND_LOCAL/venv/bin:$PATH"
  cd "$SAND_CHECKOUT/gui"
  npm ci
  npm run build
)

# The platform runs without a GUI too: a machine that cannot build it goes on, and says so.
set_up_gui() {
  local hash log="$SAND_LOGS/gui.log"
  hash=$(content_hash gui frontend/src/main/resources/openapi.yaml)
  if fresh gui "$hash" && [ -e "$SAND_CHECKOUT/gui/dist/index.html" ]; then
    return
  fi
  say "building the web GUI"
  rm -rf "$SAND_CHECKOUT/gui/dist"
  if build_gui >"$log" 2>&1 </dev/null; then
    # The jar is to be made anew, without the files of earlier builds.
    rm -rf "$SAND_CHECKOUT/gui/target/classes" "$SAND_LOCAL/stamp/java"
    stamp gui "$hash"
  else
    rm -rf "$SAND_CHECKOUT/gui/dist"
    tail -n 15 "$log" >&2
    say "warning: the web GUI could not be built: the platform goes without it (see .sand/log/gui.log)"
  fi
}

# test_gui: its own tests, of what was built; the walk through it is one of tests/e2e.
test_gui() (
  export PATH="$SAND_LOCAL/venv/bin:$PATH"
  cd "$SAND_CHECKOUT/gui"
  npx --no-install vitest run --reporter=default --reporter=junit --outputFile.junit="$SAND_LOCAL/test-reports/gui.xml"
)
