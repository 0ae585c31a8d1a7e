def handle(event, context):
    return context.secret(event)
