def handle(event, context):
    return {"set": {1, 2}, "nan": float("nan")}[event]
