"""A function that does nothing, for the Lambda runtime."""


def handle(event, context):
    return event
