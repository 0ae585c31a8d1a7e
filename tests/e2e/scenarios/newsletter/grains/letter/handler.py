def handle(event, context):
    if event["to"] == "bounce":
        raise LookupError("no such reader")
    return f"Dear {event['to']}"
