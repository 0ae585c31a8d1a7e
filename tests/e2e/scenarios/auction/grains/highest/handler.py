def handle(event, context):
    return list(context.data.versioned("highest"))
