def handle(event, context):
    asked = context.data.get(f"asked/{event}")
    return asked and asked["token"]
