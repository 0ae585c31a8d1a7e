def handle(event, context):
    return [context.data.counter("visits"), context.data.counter("visits", event), context.data.get("visits")]
