def handle(event, context):
    context.logger.info("greeting", who=event["name"])
    return {"greeting": f"Hello, {event['name']}!"}
