def handle(event, context):
    return event
