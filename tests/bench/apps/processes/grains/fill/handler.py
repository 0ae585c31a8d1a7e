"""Writes random bytes into the process's state, a MiB a key, or less of one key."""

import os

MIB = 1 << 20


def handle(event, context):
    """:param event: {"bytes": how many, "first": the first MiB to write}"""
    first, left = event.get("first", 0), event["bytes"]
    for number in range(first, first + -(-left // MIB)):
        context.process.state(f"part-{number:04}", os.urandom(min(MIB, left)))
        left -= MIB
