def handle(event, context):
    crew = [event[0].get("group"), [message["payload"] for message in event]]
    context.data.put(f"boat/{context.data.counter('boats'):03d}", crew)
