#!/usr/bin/env bash
# Lays the built platform out as the systemd units want it, on this machine or into a folder to be copied to others:
#   deploy/install.sh [ROOT]      ROOT/opt/sand, ROOT/etc/systemd/system, ROOT/etc/sand (default ROOT: /)
# Enables and starts nothing. Files of /etc/sand that exist are left alone.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
root=${1:-}
root=${root%/}
compgen -G "$top/standalone/target/standalone-*.jar" >/dev/null || { echo "the platform is not built: run ./sand setup" >&2; exit 70; }
target=$root/opt/sand
mkdir -p "$target"/{bin,docs} "$root/etc/systemd/system" "$root/etc/sand"
# A new folder takes the old one's place: jars of another version must not stay beside these.
rm -rf "$target/lib.new"
mkdir "$target/lib.new"
cp "$top"/standalone/target/standalone-*.jar "$target/lib.new/"
cp -r "$top/standalone/target/lib" "$target/lib.new/lib"
rm -rf "$target/lib"
mv "$target/lib.new" "$target/lib"
rm -rf "$target/python"
mkdir "$target/python"
tar -C "$top/grain-worker/src" --exclude=__pycache__ -h -c sand | tar -C "$target/python" -x
# Of the management application what runs, as its .sandignore says.
rm -rf "$target/management"
mkdir "$target/management"
tar -C "$top/management" --exclude=__pycache__ --exclude=./tests --exclude=./README.md --exclude=./.sandignore -c . | tar -C "$target/management" -x
# What it requires, as ./sand setup has brought it: hosts need no index for it.
rm -rf "$target/wheels"
[ ! -d "$top/.sand/wheels" ] || cp -r "$top/.sand/wheels" "$target/wheels"
install -m 755 "$top/deploy/bin/sand-platform" "$target/bin/"
install -m 644 "$top"/docs/*.md "$target/docs/"
install -m 644 "$top"/deploy/systemd/*.service "$root/etc/systemd/system/"
for role in host frontend; do
  [ -e "$root/etc/sand/$role.conf" ] || install -m 644 "$top/deploy/systemd/$role.conf.example" "$root/etc/sand/$role.conf"
done
for key in cluster operator secrets; do
  [ -e "$root/etc/sand/$key.key" ] || (umask 077; head -c 32 /dev/urandom | base64 -w0 | tr '+/' '-_' >"$root/etc/sand/$key.key")
done
echo "installed below $target; edit $root/etc/sand/*.conf, give every machine the same $root/etc/sand/*.key, then:" >&2
echo "  systemctl daemon-reload && systemctl enable --now sand-host    # or sand-frontend" >&2
