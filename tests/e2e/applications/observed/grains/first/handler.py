def handle(event, context):
    return {"traceparent": context.traceparent}
