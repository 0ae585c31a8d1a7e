def handle(event, context):
    return "fine"
