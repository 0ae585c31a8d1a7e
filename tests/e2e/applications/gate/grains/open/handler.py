def handle(event, context):
    context.data.put("open", True)
