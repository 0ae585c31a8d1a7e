"""Sends a message to `pong` in another process and waits for it to come back; ns of one way, half of both."""

import os
import time


def handle(event, context):
    """:param event: {"to": the other process, "count", "size" in bytes, "shared": whether what comes is mapped, not copied}"""
    process = context.process
    to, shared, value, took = event["to"], event["shared"], os.urandom(event["size"]), []
    for _ in range(event["count"]):
        began = time.perf_counter_ns()
        process.send(to, "ball", value)
        process.recv(to, "ball", shared=shared)
        took.append((time.perf_counter_ns() - began) // 2)
    return took
