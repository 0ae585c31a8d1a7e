def handle(event, context):
    return context.data.get(f"done/{event}")
