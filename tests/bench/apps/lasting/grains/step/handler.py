"""One step of a sum that takes its time, and says when it began in which attempt."""

import time


def handle(event, context):
    started = time.monotonic_ns()
    time.sleep(event["seconds"])
    return {
        "value": 3 * event["value"] + 1,
        "seconds": event["seconds"],
        "attempts": [*event["attempts"], [started, context.attempt]],
    }
