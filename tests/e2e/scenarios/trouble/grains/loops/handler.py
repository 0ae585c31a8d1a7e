def handle(event, context):
    while True:
        pass
