def handle(event, context):
    context.data.put(f"done/{event['id']}", event["result"])
