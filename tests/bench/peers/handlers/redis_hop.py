"""Hand-over of a small message from one Python process to another through Redis, one at a time.

Usage: redis_hop.py PORT COUNT handover|chain. Prints nanoseconds, one a line. `handover` is a list with a blocking pop;
`chain` reads a stream, forks a process for the message and has it publish to the next stream.
"""

import os
import sys
import time

import redis

EMPTY = b"x" * 128


def connect() -> redis.Redis:
    return redis.Redis("127.0.0.1", int(sys.argv[1]))


def handover_relay(count: int) -> None:
    server = connect()
    for _ in range(count):
        sent = int(server.blpop("there", 30)[1][:20])
        server.rpush("back", time.monotonic_ns() - sent)


def chain_relay(count: int) -> None:
    server, last = connect(), b"0"
    for _ in range(count):
        last, fields = server.xread({"stream": last}, 1, 30_000)[0][1][0]
        pid = os.fork()
        if pid == 0:
            connect().xadd("answers", {b"sent": fields[b"sent"]})
            os._exit(0)
        os.waitpid(pid, 0)


def main() -> None:
    count, kind = int(sys.argv[2]), sys.argv[3]
    warm = 50
    child = os.fork()
    if child == 0:
        (chain_relay if kind == "chain" else handover_relay)(count + warm)
        os._exit(0)
    server, last = connect(), b"0"
    for turn in range(count + warm):
        began = time.monotonic_ns()
        if kind == "chain":
            server.xadd("stream", {"sent": b"%020d" % began + EMPTY})
            last = server.xread({"answers": last}, 1, 30_000)[0][1][0][0]
            took = time.monotonic_ns() - began
        else:
            server.rpush("there", b"%020d" % began + EMPTY)
            took = int(server.blpop("back", 30)[1])
        if turn >= warm:
            print(took)
    os.waitpid(child, 0)


main()
