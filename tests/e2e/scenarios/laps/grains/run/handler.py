def handle(event, context):
    return event * 10
