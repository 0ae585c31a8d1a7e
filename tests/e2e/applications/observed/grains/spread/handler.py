def handle(event, context):
    for _ in range(2):
        context.publish("first", None)
