#!/usr/bin/env bash
# health.sh HOST PORT [PATH]: whether a 200 comes back for GET PATH; without PATH, whether the port takes a connection.
exec 3<>"/dev/tcp/$1/$2" || exit 1
[ $# -gt 2 ] || exit 0
printf 'GET %s HTTP/1.1\r\nHost: health\r\nConnection: close\r\n\r\n' "$3" >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
