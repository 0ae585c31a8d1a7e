def handle(event, context):
    return {"it": object()}
