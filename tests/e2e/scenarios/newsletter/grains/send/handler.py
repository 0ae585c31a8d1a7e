def handle(event, context):
    for reader in event["readers"]:
        context.publish(event.get("by", "letter"), {"to": reader})
    return event.get("returns")
