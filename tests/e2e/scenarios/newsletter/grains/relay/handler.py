def handle(event, context):
    context.publish("letter", {"to": event["to"].upper()})
