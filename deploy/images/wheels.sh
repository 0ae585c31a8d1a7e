#!/usr/bin/env bash
# What the management application requires, as wheels in a folder, so that hosts install it without an index (the platform's image,
# deploy/install.sh and a checkout have them):
#   deploy/images/wheels.sh FOLDER
# The versions are those of management/requirements.txt. For the Python of the sandbox image (SAND_IMAGE_PYTHON, default 3.11) and
# for this machine's (SAND_PYTHON), whose sandboxes are plain processes. Does nothing where they are there already.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
python=${SAND_PYTHON:-python3}
machine=$(uname -m)
own=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
versions=$(printf '%s\n' "${SAND_IMAGE_PYTHON:-3.11}" "$own" | sort -u)
wanted=$(echo "# wheels for Python $(echo $versions), $machine"; cat "$root/management/requirements.txt")
[ "$(cat "$folder/requirements.txt" 2>/dev/null)" != "$wanted" ] || exit 0
mkdir -p "$(dirname "$folder")"
rm -rf "$folder.new"
mkdir "$folder.new"
for version in $versions; do
  platforms=()
  if [ "$version" != "$own" ]; then
    for tag in manylinux2014 manylinux_2_17 manylinux_2_28; do
      platforms+=(--platform "${tag}_$machine")
    done
    platforms+=(--python-version "$version" --implementation cp)
  fi
  "$python" -m pip download --disable-pip-version-check -q --no-deps --only-binary :all: "${platforms[@]}" -d "$folder.new" \
    -r "$root/management/requirements.txt" >&2
done
printf '%s\n' "$wanted" >"$folder.new/requirements.txt"
rm -rf "$folder"
mv "$folder.new" "$folder"
