"""Returns the event as it came."""


def handle(event, context):
    return event
