def handle(event, context):
    return context.data.table("names").put(event["name"], event["by"], if_version=0)
