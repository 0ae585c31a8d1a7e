import time


def handle(event, context):
    time.sleep(event.get("seconds", 0))
    if event.get("fails"):
        raise OSError("broken")
    return {"times": context.data.counter(event["key"])}
