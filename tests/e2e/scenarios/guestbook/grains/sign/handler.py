import time


def handle(event, context):
    if event == "slow":
        time.sleep(1)
    return [f"hello {event}", context.version, context.data.counter("signed")]
