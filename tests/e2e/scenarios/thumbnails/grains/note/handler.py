def handle(event, context):
    context.data.table().list(event["key"]).append([event["operation"], event.get("version")])
