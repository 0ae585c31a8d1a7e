"""Does what its event says: fails by name, or gives back what it got."""

failures = {"Late": TimeoutError, "Wrong": ValueError}


def handle(event, context):
    if isinstance(event, dict) and event.get("fail"):
        raise failures[event["fail"]](event.get("why", "because"))
    return {"did": event}
