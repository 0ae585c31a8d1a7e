def handle(event, context):
    return event["n"] * 2
