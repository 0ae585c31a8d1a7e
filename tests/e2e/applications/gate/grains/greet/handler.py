def handle(event, context):
    context.logger.info(f"greeting {event['name']}")
    return {**event, "greeting": f"Hello, {event['name']}."}
