def handle(event, context):
    return {"bytes": len(event), "kind": type(event).__name__}
