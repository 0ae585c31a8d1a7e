import time


def handle(event, context):
    for n in range(event):
        print("tick", n)
    context.logger.info("done", ticks=event)
    time.sleep(0.2)
    return event
