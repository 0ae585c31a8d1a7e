#!/usr/bin/env bash
# health.sh [HOST [PORT]]: whether a broker answers an ApiVersions request, the first that every client sends.
exec 3<>"/dev/tcp/${1:-127.0.0.1}/${2:-9092}" || exit 1
printf '\0\0\0\012\0\022\0\0\0\0\0\001\377\377' >&3
# Four bytes of length, then the request's own number, 1, and error code 0.
[ "$(timeout 4 head -c 10 <&3 | tail -c 6 | od -An -tx1 | tr -d ' \n')" = 000000010000 ]
