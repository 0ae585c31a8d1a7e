def handle(event, context):
    print("about to fail")
    raise ValueError("as it was asked to")
