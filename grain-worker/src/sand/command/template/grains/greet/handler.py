"""Greets whoever is named: called with {"name": …}, or through the route /hello/{name}."""


def handle(event, context):
    event = event or {}  # called without an input
    if "method" in event:  # a request through a route; the answer is an HTTP response
        return {"status": 200, "headers": {"Content-Type": "text/plain"}, "body": f"Hello, {event['parameters']['name']}!\n"}
    name = event.get("name")
    if not name:
        raise ValueError("the event has no 'name'")
    context.logger.info("greeting", who=name)
    return {"greeting": f"Hello, {name}!"}
