#!/usr/bin/env bash
# Whether nginx answers by itself; the frontends have checks of their own.
exec 3<>/dev/tcp/127.0.0.1/8080 || exit 1
printf 'GET /-/nginx HTTP/1.0\r\n\r\n' >&3
read -r -t 4 _ status _ <&3
[ "$status" = 200 ]
