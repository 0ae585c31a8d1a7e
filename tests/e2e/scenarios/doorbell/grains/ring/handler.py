def handle(event, context):
    if event.get("broken"):
        raise LookupError("no such door")
