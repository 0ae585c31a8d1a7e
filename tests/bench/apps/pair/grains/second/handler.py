"""F2 of the interaction bench: says when it began, and passes on what F1 said."""

import os
import time


def handle(event, context):
    started = time.monotonic_ns()
    return {"first": event, "pid": os.getpid(), "started": started}
