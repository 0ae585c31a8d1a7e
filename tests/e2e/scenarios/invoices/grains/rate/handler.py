def handle(event, context):
    return {"DE": 0.25, "CH": 0.5}[event]
