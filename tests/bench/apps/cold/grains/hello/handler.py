"""The smallest grain."""


def handle(event, context):
    return {"hello": event}
