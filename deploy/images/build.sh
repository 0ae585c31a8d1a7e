#!/usr/bin/env bash
# Builds the sandbox image and prints its name (the only line on stdout). The name is a hash of everything that goes in, so a
# second run finds it and is done.
#   SAND_BASE_IMAGE   an image with Python 3.11+ and pip (default python:3.11-slim; Debian by debootstrap when out of reach)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/deploy/images
base=${SAND_BASE_IMAGE:-python:3.11-slim}

say() { printf '%s\n' "$*" >&2; }
# shellcheck source=deploy/images/base.sh
source "$here/base.sh"

context=$(mktemp -d "${TMPDIR:-/tmp}/sand-image.XXXXXX")
trap 'rm -rf "$context" "$context.base"' EXIT
mkdir "$context.base"
# The command line is not part of a sandbox: what an application cannot import, it cannot misuse, and it starts no slower.
tar -C "$root/grain-worker/src" --exclude='__pycache__' --exclude='sand/command' --exclude='sand/asl' --exclude='sand/emulator' -c sand | tar -C "$context" -x
cp "$here/sandbox/Dockerfile" "$context/"
inputs=$(cd "$context" && { printf '%s\n' "$base" "$SAND_BASE_SUITE" "$SAND_BASE_PACKAGES"; find . -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-12)
image=sand-sandbox:$inputs

if docker image inspect "$image" >/dev/null 2>&1; then
  docker tag "$image" sand-sandbox:latest
  echo "$image"
  exit 0
fi

base=$(choose_base "$base" "$context.base")

say "sandbox image: building $image on $base"
if ! DOCKER_BUILDKIT=0 docker build --network host --build-arg BASE="$base" -t "$image" -t sand-sandbox:latest \
    --label dev.sand.base="$(docker image inspect -f '{{.Id}}' "$base")" "$context" >"$context.log" 2>&1; then
  tail -n 30 "$context.log" >&2
  rm -f "$context.log"
  say "sandbox image: the build failed"
  exit 1
fi
rm -f "$context.log"
# Earlier ones of this checkout: a few are kept for those who go back and forth, and what a container uses stays anyway.
docker images sand-sandbox --format '{{.Tag}}' | grep -v '^latest$' | tail -n +6 | sed 's/^/sand-sandbox:/' | xargs -r docker rmi >/dev/null 2>&1 || true
echo "$image"
