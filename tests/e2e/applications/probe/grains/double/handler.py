def handle(event, context):
    return {"number": event["number"] * 2}
