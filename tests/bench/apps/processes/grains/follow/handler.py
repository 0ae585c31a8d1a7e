"""Invokes a function of this process, or of another one on this host, and waits for its result; ns of each time."""

import time


def handle(event, context):
    """:param event: {"to": a process, or None for this one, "count", "size" of the input in bytes}"""
    process = context.process
    to, value, took = event["to"] or process.id, bytes(event["size"]), []
    for _ in range(event["count"]):
        began = time.perf_counter_ns()
        process.invoke(to, "noop", value).result()
        took.append(time.perf_counter_ns() - began)
    return took
