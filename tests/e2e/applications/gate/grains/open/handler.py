def handle(event, context):
    if event["open"]:
        context.data.put("open", True)
    else:
        context.data.delete("open")
