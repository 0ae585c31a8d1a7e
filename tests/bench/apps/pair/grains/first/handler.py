"""F1: stays as long as it is told, hands on the padding, and says when it ended."""

import os
import time


def handle(event, context):
    time.sleep(event["holdMs"] / 1000)
    return {"pid": os.getpid(), "pad": event["pad"], "ended": time.monotonic_ns()}
