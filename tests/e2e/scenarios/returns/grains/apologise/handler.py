def handle(event, context):
    kept = {name: event[name] for name in ("queue", "group", "attempts", "failure", "payload")}
    context.data.put(f"sorry/{event['payload']['id']}", kept)
