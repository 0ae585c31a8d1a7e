# The main job on real input: the image pipeline on a platform of its own. Sourced by ./sand.

run_demo() {
  say "image pipeline: metadata, verification, recognition, thumbnail; four grains on a real photograph"
  set_up_all
  exec "$SAND_PYTHON" -P "$SAND_CHECKOUT/examples/image-pipeline/demo.py" "$@"
}
