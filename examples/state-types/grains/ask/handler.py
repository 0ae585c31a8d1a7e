"""Keeps the token of a task for whoever decides on the order."""


def handle(event, context):
    context.data.put(f"asked/{event['order']}", event["token"])
