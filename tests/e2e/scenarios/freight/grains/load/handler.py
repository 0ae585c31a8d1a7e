def handle(event, context):
    context.data.objects.put(event["name"], bytes([event["byte"]]) * event["size"])
    return {"object": event["name"], "size": event["size"]}
