def handle(event, context):
    one = event[0]
    shape = [sorted(one), one["group"], [message["payload"] for message in event]]
    context.data.put(f"batch/{context.data.counter('batches'):03d}", shape)
