"""Hand-over of a small message from one Python process to another through Redis, one at a time.

Usage: redis_hop.py PORT handover|chain. `handover` is a list with a blocking pop; `chain` reads a stream, forks a process for
the message and has it publish to the next stream.
"""

import os
import sys
import time

import redis
from pacing import EMPTY, serve


def connect() -> redis.Redis:
    return redis.Redis("127.0.0.1", int(sys.argv[1]))


def handover_relay() -> None:
    server = connect()
    while True:
        sent = int(server.blpop("there", 0)[1][:20])
        server.rpush("back", time.monotonic_ns() - sent)


def chain_relay() -> None:
    server, last = connect(), b"0"
    while True:
        last, fields = server.xread({"stream": last}, 1, 0)[0][1][0]
        pid = os.fork()
        if pid == 0:
            connect().xadd("answers", {b"sent": fields[b"sent"]})
            os._exit(0)
        os.waitpid(pid, 0)


def main() -> None:
    kind = sys.argv[2]
    child = os.fork()
    if child == 0:
        (chain_relay if kind == "chain" else handover_relay)()
    server, last = connect(), b"0"

    def hop() -> int:
        nonlocal last
        began = time.monotonic_ns()
        if kind == "chain":
            server.xadd("stream", {"sent": b"%020d" % began + EMPTY})
            last = server.xread({"answers": last}, 1, 30_000)[0][1][0][0]
            return time.monotonic_ns() - began
        server.rpush("there", b"%020d" % began + EMPTY)
        return int(server.blpop("back", 30)[1])

    serve(hop, child)


main()
