"""The end of an execution: its sum, and a mark that tells one end of it from another."""

import os
import time


def handle(event, context):
    attempts = [attempt for branch in event for attempt in branch["attempts"]]
    return {
        "value": sum(branch["value"] for branch in event),
        "mark": os.urandom(8).hex(),
        "attempts": [*attempts, [time.monotonic_ns(), context.attempt]],
    }
