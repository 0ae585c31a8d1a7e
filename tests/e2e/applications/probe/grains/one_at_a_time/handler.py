import time


def handle(event, context):
    time.sleep(event["seconds"])
    return {"slept": event["seconds"]}
