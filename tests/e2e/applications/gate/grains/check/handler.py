class GateClosed(Exception):
    pass


def handle(event, context):
    if event["name"] == "closed" and context.data.get("open") is None:
        raise GateClosed("the gate is closed")
    return event
