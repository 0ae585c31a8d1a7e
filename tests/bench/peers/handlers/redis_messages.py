"""Messages of one Python process to another and back through two lists of Redis, RPUSH and BLPOP.

Usage: redis_messages.py PORT. Told `SIZE COUNT` on stdin, it prints so many nanoseconds, each half of a way there and back.
"""

import os
import signal
import sys
import time

import redis


def relay() -> None:
    server = redis.Redis("127.0.0.1", int(sys.argv[1]))
    while True:
        server.rpush("back", server.blpop("there", 0)[1])


def main() -> None:
    child = os.fork()
    if child == 0:
        relay()
    server = redis.Redis("127.0.0.1", int(sys.argv[1]))
    for line in sys.stdin:
        size, count = map(int, line.split())
        value = os.urandom(size)
        for _ in range(count):
            began = time.perf_counter_ns()
            server.rpush("there", value)
            server.blpop("back", 30)
            print((time.perf_counter_ns() - began) // 2)
        sys.stdout.flush()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


main()
