def handle(event, context):
    return [f"good day {event}", context.version, context.data.counter("signed")]
