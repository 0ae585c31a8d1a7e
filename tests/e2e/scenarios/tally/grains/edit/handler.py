def handle(event, context):
    data = context.data
    return data.put(event["page"], event["text"], if_version=event.get("version"))
