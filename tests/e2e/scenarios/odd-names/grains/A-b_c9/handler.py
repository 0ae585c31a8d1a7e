def handle(event, context):
    context.data.put("schl\u00fcssel/\U0001f600 ", event)
    return {"keys": context.data.list("schl"), "name": context.grain, "\U0001f600": list(event)}
