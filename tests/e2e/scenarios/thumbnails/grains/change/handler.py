def handle(event, context):
    key = event["key"]
    if event["do"] == "put":
        return context.data.put(key, event.get("value"), if_version=event.get("version"))
    return context.data.delete(key) if event["do"] == "delete" else context.data.counter(key)
