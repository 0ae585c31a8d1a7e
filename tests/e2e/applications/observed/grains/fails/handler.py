def handle(event, context):
    raise KeyError("as it is to")
