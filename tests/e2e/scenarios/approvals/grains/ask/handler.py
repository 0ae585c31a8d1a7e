"""Keeps the token for whoever decides; what it returns is ignored."""


def handle(event, context):
    context.data.put(f"asked/{event['request']}", {"token": event["token"], "sum": event["sum"]})
    return "asked"
