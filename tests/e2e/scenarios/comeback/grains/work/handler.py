"""One step of an order; the broken one fails until somebody mends it."""

import time


class Broken(Exception):
    pass


def handle(event, context):
    times = context.data.counter(f"{event['order']}/{event['step']}", 1)
    time.sleep(event.get("seconds", 0))
    if event["step"] == "broken" and not context.data.get("mended"):
        raise Broken(f"attempt {times}")
    return {"step": event["step"], "times": times}
