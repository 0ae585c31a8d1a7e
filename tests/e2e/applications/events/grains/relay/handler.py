"""Sends on what it gets, or answers what is stored below a prefix."""


def handle(event, context):
    if "prefix" in event:
        return [context.data.get(key) for key in context.data.list(event["prefix"])]
    if "put" in event:
        return context.data.put(event["put"], event)
    return [context.enqueue(event["queue"], message, group=event.get("group")) for message in event["messages"]]
