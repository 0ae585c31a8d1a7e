def handle(event, context):
    context.publish("keep", event)
