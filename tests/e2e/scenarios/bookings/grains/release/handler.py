def handle(event, context):
    return {"released": sorted(event["what"])}
