# Where every image begins: one from a registry when that answers, else Debian's own packages. Sourced by the build scripts,
# which define say().
SAND_BASE_SUITE=bookworm
SAND_BASE_PACKAGES=python3,python3-pip,python3-venv,ca-certificates,libgomp1,libglib2.0-0

# choose_base WANTED SCRATCH: prints WANTED when it is here or can be pulled, else the name of a base made with debootstrap.
choose_base() {
  local wanted=$1 tree=$2/tree made
  if docker image inspect "$wanted" >/dev/null 2>&1; then
    echo "$wanted"
    return
  fi
  made=sand-base:$(printf '%s\n' "$SAND_BASE_SUITE" "$SAND_BASE_PACKAGES" | sha256sum | cut -c1-12)
  say "images: asking for $wanted"
  if timeout 15 docker manifest inspect "$wanted" >/dev/null 2>&1 && timeout 900 docker pull -q "$wanted" >&2; then
    echo "$wanted"
    return
  fi
  if docker image inspect "$made" >/dev/null 2>&1; then
    say "images: no registry answers; using $made, made here earlier"
    echo "$made"
    return
  fi
  say "images: no registry answers; making a Debian base with debootstrap (about a minute)"
  if [ "$(id -u)" != 0 ]; then
    say "images: debootstrap needs root; name an image that is here (SAND_BASE_IMAGE), or run this script as root once"
    return 1
  fi
  command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends debootstrap; } >&2
  if ! debootstrap --variant=minbase --include="$SAND_BASE_PACKAGES" "$SAND_BASE_SUITE" "$tree" >"$2/debootstrap.log" 2>&1; then
    tail -n 20 "$2/debootstrap.log" >&2
    say "images: debootstrap failed; is a Debian mirror reachable?"
    return 1
  fi
  tar -C "$tree" --one-file-system --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' -c . \
    | docker import -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$made" >/dev/null
  rm -rf "$tree"
  echo "$made"
}
