def handle(event, context):
    context.data.put(f"mourned/{event['payload']['name']}", event)
