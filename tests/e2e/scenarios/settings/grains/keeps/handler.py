def handle(event, context):
    return context.env
