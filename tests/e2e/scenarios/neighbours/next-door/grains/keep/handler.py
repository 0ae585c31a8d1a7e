def handle(event, context):
    if event is not None:
        context.data.put("note", event)
    return [context.application, context.data.get("note"), context.data.table().get("note"), context.data.list()]
