def handle(event, context):
    return [context.data.get(key) for key in context.data.list("boat/")]
