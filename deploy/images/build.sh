#!/usr/bin/env bash
# Builds the sandbox image and prints its name (the only line on stdout). The name is a hash of everything that goes in, so a
# second run finds it and is done.
#   SAND_BASE_IMAGE   an image with Python 3.11+ and pip (default python:3.11-slim; Debian by debootstrap when out of reach)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/deploy/images
base=${SAND_BASE_IMAGE:-python:3.11-slim}
suite=bookworm
packages=python3,python3-pip,python3-venv,ca-certificates,libgomp1,libglib2.0-0

say() { printf '%s\n' "$*" >&2; }

context=$(mktemp -d "${TMPDIR:-/tmp}/sand-image.XXXXXX")
trap 'rm -rf "$context"' EXIT
# The command line is not part of a sandbox: what an application cannot import, it cannot misuse, and it starts no slower.
tar -C "$root/grain-worker/src" --exclude='__pycache__' --exclude='sand/command' -c sand | tar -C "$context" -x
cp "$here/sandbox/Dockerfile" "$context/"
inputs=$(cd "$context" && { printf '%s\n' "$base" "$suite" "$packages"; find . -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-12)
image=sand-sandbox:$inputs

if docker image inspect "$image" >/dev/null 2>&1; then
  docker tag "$image" sand-sandbox:latest
  echo "$image"
  exit 0
fi

# The base from a registry when one answers quickly; else Debian's own packages, imported as an image.
choose_base() {
  if docker image inspect "$base" >/dev/null 2>&1; then
    return
  fi
  say "sandbox image: asking for $base"
  if timeout 15 docker manifest inspect "$base" >/dev/null 2>&1 && timeout 900 docker pull -q "$base" >&2; then
    return
  fi
  base=sand-base:$(printf '%s\n' "$suite" "$packages" | sha256sum | cut -c1-12)
  if docker image inspect "$base" >/dev/null 2>&1; then
    say "sandbox image: no registry answers; using $base, made here earlier"
    return
  fi
  say "sandbox image: no registry answers; making a Debian base with debootstrap (about a minute)"
  if [ "$(id -u)" != 0 ]; then
    say "sandbox image: debootstrap needs root; give an image with SAND_BASE_IMAGE, or run this script as root once"
    exit 1
  fi
  command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends debootstrap; } >&2
  local tree=$context/tree
  if ! debootstrap --variant=minbase --include="$packages" "$suite" "$tree" >"$context/debootstrap.log" 2>&1; then
    tail -n 20 "$context/debootstrap.log" >&2
    say "sandbox image: debootstrap failed; is a Debian mirror reachable?"
    exit 1
  fi
  tar -C "$tree" --one-file-system --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' -c . \
    | docker import -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$base" >/dev/null
  rm -rf "$tree"
}
choose_base

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
