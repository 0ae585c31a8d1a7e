import time


def handle(event, context):
    place = f"served/{event['who']}"
    context.data.table().list(place).append(["begun", event["n"]])
    time.sleep(0.05)
    context.data.table().list(place).append(["ended", event["n"]])
