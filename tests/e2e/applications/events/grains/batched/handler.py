def handle(event, context):
    context.data.put(f"batches/{context.data.counter('batches'):05d}", [message["payload"] for message in event])
