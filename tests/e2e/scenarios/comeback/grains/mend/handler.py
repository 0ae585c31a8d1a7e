def handle(event, context):
    context.data.put("mended", event)
