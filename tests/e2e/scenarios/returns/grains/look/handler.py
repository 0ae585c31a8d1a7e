def handle(event, context):
    return context.data.get(event)
