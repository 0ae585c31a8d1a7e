#!/usr/bin/env bash
# health.sh [HOST [PORT]]: whether a node answers OPTIONS of the native protocol with SUPPORTED; it listens when it has joined.
exec 3<>"/dev/tcp/${1:-$(hostname -i | cut -d ' ' -f 1)}/${2:-9042}" || exit 1
printf '\004\0\0\0\005\0\0\0\0' >&3
[ "$(timeout 4 head -c 5 <&3 | tail -c 1 | od -An -tx1 | tr -d ' \n')" = 06 ]
